<?php

/**
 * Downloads the content of every completed report of an agency, each once: php right-client.php [FOLDER]
 *
 * Run it as often as you like, such as once a day: a report that is already in the folder is not requested again. It exits with 1 if something is
 * missing, which the next run gets.
 */

declare(strict_types=1);

const ATTEMPTS = 6;
const FIRST_PAUSE = 0.5; // seconds
const TIMEOUT = 30;

/** The token is refused: no other request would help, and a person has to know. */
final class Refused extends Exception
{
}

/** The API has not given what was asked, and trying again has not helped. */
final class Failed extends Exception
{
}

/** Reads a path of the API. What may help, it tries again: a 408, 429 or 5xx, a lost connection, a body that is no JSON. */
function get(string $path): array
{
    $url = urlOf($path);
    for ($attempt = 1; ; $attempt++) {
        $response = request($url);
        $status = $response['status'];
        if ($status === 200 && is_array($response['body'])) {
            return $response['body'];
        }
        $problem = $path . ': ' . match ($status) {
            0 => 'no response',
            200 => 'a broken body',
            default => $status,
        };
        if ($status === 401 || ($status === 403 && isRefused())) {
            throw new Refused($problem);
        }
        $mayHelp = $status < 400 || $status === 408 || $status === 429 || $status >= 500;
        if (!$mayHelp || $attempt === ATTEMPTS) {
            throw new Failed($problem);
        }
        usleep((int) (1_000_000 * ($response['retryAfter'] ?? pause($attempt))));
    }
}

/** A 403 may concern one project alone: `/me` says whether the token itself is refused. */
function isRefused(): bool
{
    return (request(urlOf('/api/v1/me'))['body']['status'] ?? null) !== 'active';
}

/** Links begin with /api/v1, or are absolute. The token is for the host of the API alone. */
function urlOf(string $path): string
{
    $host = getenv('SEO_SANDBOX_URL');
    if (str_starts_with($path, "$host/")) {
        return $path;
    }
    if (!str_starts_with($path, '/')) {
        throw new Failed("$path is on another host.");
    }
    return $host . $path;
}

/** Sends one request. The status is 0 where there is no response, and the body null where it is no JSON. */
function request(string $url): array
{
    $http = [
        'header' => ['Authorization: Bearer ' . getenv('SEO_SANDBOX_TOKEN'), 'Accept: application/json'],
        'ignore_errors' => true,
        'timeout' => TIMEOUT,
    ];
    // A lost connection is a warning, and no response here.
    $text = @file_get_contents($url, false, stream_context_create(['http' => $http]));
    $response = ['status' => 0, 'retryAfter' => null, 'body' => json_decode((string) $text, true)];
    foreach ($http_response_header ?? [] as $line) {
        if (preg_match('~^HTTP/\S+ (\d+)~', $line, $match)) {
            $response['status'] = (int) $match[1];
        } elseif (preg_match('~^Retry-After: *(\d+)~i', $line, $match)) {
            // It may be rounded down, even to 0.
            $response['retryAfter'] = max(1, (int) $match[1]);
        }
    }
    return $response;
}

/** Half a second, then twice as long each time, and at random up to a half more, so that clients don't come all at once. */
function pause(int $attempt): float
{
    return FIRST_PAUSE * 2 ** ($attempt - 1) * (1 + mt_rand() / mt_getrandmax() / 2);
}

/** A list, from all its pages. */
function getList(string $path): Generator
{
    while ($path !== null) {
        $page = get($path);
        yield from $page['data'];
        $path = $page['links']['next'] ?? null;
    }
}

/** Downloads what is completed of a project and not in the folder yet. */
function syncProject(array $project, string $folder): void
{
    $path = "/api/v1/projects/{$project['id']}/reports";
    foreach (getList($path) as $report) {
        // A report that is regenerated has another id.
        $file = "$folder/{$project['id']}-{$report['id']}.json";
        if ($report['status'] === 'completed' && !file_exists($file)) {
            $content = get("$path/{$report['report_number']}/content");
            // With another id it was regenerated after the list was read: the next run gets it.
            if ($content['data']['report_id'] === $report['id']) {
                save($file, $content);
            }
        }
    }
}

/** Writes a file as a whole: half of one would look as if it was downloaded. */
function save(string $file, array $content): void
{
    file_put_contents("$file.part", json_encode($content, JSON_THROW_ON_ERROR));
    rename("$file.part", $file);
}

function main(string $folder): bool
{
    $isComplete = true;
    if (!is_dir($folder)) {
        mkdir($folder, recursive: true);
    }
    save("$folder/users.json", iterator_to_array(getList('/api/v1/users'), preserve_keys: false));
    // Of every status: a project that is no longer active still has its reports.
    foreach (getList('/api/v1/projects') as $project) {
        try {
            syncProject($project, $folder);
        } catch (Failed $error) {
            fwrite(STDERR, "{$project['name']} is not complete: {$error->getMessage()}\n");
            $isComplete = false;
        }
    }
    return $isComplete;
}

try {
    exit(main($argv[1] ?? 'reports') ? 0 : 1);
} catch (Refused | Failed $error) {
    fwrite(STDERR, "The sync has ended early: {$error->getMessage()}\n");
    exit(1);
}
