import { WRONG_CLIENTS } from './wrong-clients.ts'
import type { WrongClient } from './wrong-clients.ts'

/** A text that occurs exactly once in a right client, and its replacement. */
type Replacement = readonly [from: string, to: string]

/** A client of `wrong-clients.ts` as a program, whose processes share nothing but its folder. */
interface Program {
  /** The name of the client. */
  name: string
  /** Replacements in `docs/examples/right_client.py`. */
  python: readonly Replacement[]
  /** Replacements in `docs/examples/right-client.php`. */
  php: readonly Replacement[]
  /** Set if the findings differ from those of the client. */
  expect?: Partial<WrongClient['expect']>
}

/** Treats a 404 as an empty list. */
const EMPTY_IF_404 = {
  python: [
    `                if error.code == 401 or`,
    `                if error.code == 404:
                    return {"data": []}
                if error.code == 401 or`,
  ],
  php: [
    `        if ($status === 401 ||`,
    `        if ($status === 404) {
            return ['data' => []];
        }
        if ($status === 401 ||`,
  ],
} as const satisfies Record<string, Replacement>

const PROGRAMS: readonly Program[] = [
  {
    name: 'takes latest for a feed of completed reports',
    python: [
      EMPTY_IF_404.python,
      [
        `    for report in get_list(path):`,
        `    if any(FOLDER.glob(f"{project['id']}-*.json")):
        latest = get(f"{path}/latest")["data"]
        reports = [latest] if latest else []
    else:
        reports = get_list(path)
    for report in reports:`,
      ],
    ],
    php: [
      EMPTY_IF_404.php,
      [
        `    foreach (getList($path) as $report) {`,
        `    if (glob("$folder/{$project['id']}-*.json")) {
        $latest = get("$path/latest")['data'];
        $reports = $latest ? [$latest] : [];
    } else {
        $reports = getList($path);
    }
    foreach ($reports as $report) {`,
      ],
    ],
  },
  {
    name: 'notes the ids of a project before it fetches their contents',
    python: [
      [
        `    for report in get_list(path):`,
        `    wanted = []
    for report in get_list(path):`,
      ],
      [
        `            content = get(f"{path}/{report['report_number']}/content")
            # With another id it was regenerated after the list was read: the next run gets it.
            if content["data"]["report_id"] == report["id"]:
                save(file, content)`,
        `            file.touch()
            wanted.append((file, report["report_number"]))
    for file, number in wanted:
        save(file, get(f"{path}/{number}/content"))`,
      ],
    ],
    php: [
      [
        `    foreach (getList($path) as $report) {`,
        `    $wanted = [];
    foreach (getList($path) as $report) {`,
      ],
      [
        `            $content = get("$path/{$report['report_number']}/content");
            // With another id it was regenerated after the list was read: the next run gets it.
            if ($content['data']['report_id'] === $report['id']) {
                save($file, $content);
            }
        }
    }`,
        `            touch($file);
            $wanted[$file] = $report['report_number'];
        }
    }
    foreach ($wanted as $file => $number) {
        save($file, get("$path/$number/content"));
    }`,
      ],
    ],
  },
  {
    name: 'logs an error and ends as if it were done',
    python: [
      [`sys.exit(0 if main() else 1)`, `main()`],
      [
        `sys.exit(f"The sync has ended early: {error}")`,
        `print(f"The sync has ended early: {error}", file=sys.stderr)`,
      ],
    ],
    php: [
      [`exit(main($argv[1] ?? 'reports') ? 0 : 1);`, `main($argv[1] ?? 'reports');`],
      [`    exit(1);`, `    exit(0);`],
    ],
    expect: {
      message:
        /GET \/\w+, which failed with 503, never got it, and ended as if everything was done/,
    },
  },
  {
    name: 'knows its reports by their number',
    python: [[`-{report['id']}.json`, `-{report['report_number']}.json`]],
    php: [[`-{$report['id']}.json`, `-{$report['report_number']}.json`]],
  },
  {
    name: 'reads one page of 100 projects',
    python: [[`path = page.get("links", {}).get("next")`, `path = None`]],
    php: [[`$path = $page['links']['next'] ?? null;`, `$path = null;`]],
  },
  {
    name: 'tries again without a pause',
    python: [[`pause(attempt) if retry_after is None`, `0 if retry_after is None`]],
    php: [[`$response['retryAfter'] ?? pause($attempt)`, `$response['retryAfter'] ?? 0`]],
    expect: {
      message: /6 attempts for the same URL, from request \d+ on, came with pauses of/,
    },
  },
  {
    name: 'tries again after a 401',
    python: [
      [`if error.code == 401 or (error.code`, `if (error.code`],
      [`if error.code not in (408, 429)`, `if error.code not in (401, 408, 429)`],
    ],
    php: [
      [`if ($status === 401 || ($status`, `if (($status`],
      [`$status < 400 || $status === 408`, `$status < 400 || $status === 401 || $status === 408`],
    ],
  },
  {
    name: 'ignores Retry-After',
    python: [
      [`pause(attempt) if retry_after is None else max(1, int(retry_after))`, `pause(attempt)`],
    ],
    php: [[`$response['retryAfter'] ?? pause($attempt)`, `pause($attempt)`]],
    expect: {
      checks: ['retry-after'],
    },
  },
  {
    name: 'waits for a response without a limit',
    python: [[`TIMEOUT = 30`, `TIMEOUT = None`]],
    php: [[`TIMEOUT = 30`, `TIMEOUT = -1`]],
    expect: {
      message: /waited for the response to request \d+, which never came, and was ended after/,
    },
  },
  {
    name: 'has a list of projects from its first run',
    python: [
      EMPTY_IF_404.python,
      [
        `    for project in get_list("/api/v1/projects"):`,
        `    known = FOLDER / "projects.json"
    if not known.exists():
        save(known, list(get_list("/api/v1/projects")))
    for project in json.loads(known.read_text(encoding="utf-8")):`,
      ],
    ],
    php: [
      EMPTY_IF_404.php,
      [
        `    foreach (getList('/api/v1/projects') as $project) {`,
        `    $known = "$folder/projects.json";
    if (!file_exists($known)) {
        save($known, iterator_to_array(getList('/api/v1/projects'), preserve_keys: false));
    }
    foreach (json_decode(file_get_contents($known), true) as $project) {`,
      ],
    ],
  },
  {
    name: 'leaves its lock behind when it fails',
    python: [
      [
        `    save(FOLDER / "users.json", list(get_list("/api/v1/users")))`,
        `    lock = FOLDER / "lock"
    if lock.exists():
        raise Failed("Another sync is running.")
    lock.touch()
    save(FOLDER / "users.json", list(get_list("/api/v1/users")))`,
      ],
      [
        `    return is_complete`,
        `    lock.unlink()
    return is_complete`,
      ],
    ],
    php: [
      [
        `    save("$folder/users.json", iterator_to_array(getList('/api/v1/users'), preserve_keys: false));`,
        `    $lock = "$folder/lock";
    if (file_exists($lock)) {
        throw new Failed('Another sync is running.');
    }
    touch($lock);
    save("$folder/users.json", iterator_to_array(getList('/api/v1/users'), preserve_keys: false));`,
      ],
      [
        `    return $isComplete;`,
        `    unlink($lock);
    return $isComplete;`,
      ],
    ],
    expect: {
      checks: ['recovery', 'undelivered'],
      message: /No run has ended well since run \d+ failed/,
    },
  },
  {
    name: 'takes a report that failed for settled',
    python: [
      [
        `        if report["status"] == "completed" and not file.exists():`,
        `        if report["status"] == "failed":
            file.touch()
        if report["status"] == "completed" and not file.exists():`,
      ],
    ],
    php: [
      [
        `        if ($report['status'] === 'completed' && !file_exists($file)) {`,
        `        if ($report['status'] === 'failed') {
            touch($file);
        }
        if ($report['status'] === 'completed' && !file_exists($file)) {`,
      ],
    ],
  },
]

/** The clients of `wrong-clients.ts` that are programs too, with their options and findings. */
export const WRONG_COMMANDS = PROGRAMS.map((program) => {
  const client = WRONG_CLIENTS.find(({ name }) => name === program.name)
  if (!client) throw new Error(`No client ${program.name}.`)
  return { ...program, options: client.options, expect: { ...client.expect, ...program.expect } }
})

/**
 * Returns the source of a client with the mistake.
 *
 * @throws Error if a replaced text does not occur exactly once.
 */
export function withMistake(source: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((text, [from, to]) => {
    const parts = text.split(from)
    if (parts.length !== 2)
      throw new Error(`${JSON.stringify(from)} occurs ${parts.length - 1} times instead of once.`)
    return parts.join(to)
  }, source)
}
