<?php

declare(strict_types=1);

/** A running seo-sandbox: where it is, and its control API. */
final class Sandbox
{
    /** Where the server runs: in this folder or above it, npm has installed seo-sandbox. */
    private const FOLDER = __DIR__ . '/..';

    private static ?self $running = null;

    public readonly string $api;

    /** @var resource|null */
    private $process = null;

    /** @var array<int, resource> */
    private array $pipes = [];

    private function __construct(private readonly string $url)
    {
        $this->api = "$url/api/v1";
    }

    /** One server for all tests; SEO_SANDBOX_URL names one that is started elsewhere, as by Docker Compose. */
    public static function running(): self
    {
        if (self::$running === null) {
            $url = getenv('SEO_SANDBOX_URL');
            self::$running = $url === false ? self::start() : new self($url);
            self::$running->waitUntilHealthy();
        }
        return self::$running;
    }

    /** Starts a seo-sandbox on a free port. It stops at the end, even if PHP is killed. */
    private static function start(string ...$options): self
    {
        $folder = realpath(self::FOLDER);
        // npx asks the registry for what is not installed, with --no-install too.
        if (!self::isInstalled($folder)) {
            throw new RuntimeException("seo-sandbox is not installed in $folder: run npm install there.");
        }
        $npx = PHP_OS_FAMILY === 'Windows' ? 'npx.cmd' : 'npx';
        $command = [$npx, '--no-install', 'seo-sandbox', '--port', '0', '--quiet', '--stdin-close', ...$options];
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes, $folder);
        $baseUrl = $process === false ? '' : trim((string) fgets($pipes[1]));
        if ($baseUrl === '') {
            throw new RuntimeException('seo-sandbox did not start: standard error says why.');
        }
        $sandbox = new self(substr($baseUrl, 0, -strlen('/api/v1')));
        $sandbox->process = $process;
        $sandbox->pipes = $pipes;
        register_shutdown_function($sandbox->stop(...));
        return $sandbox;
    }

    private static function isInstalled(string $folder): bool
    {
        return is_dir("$folder/node_modules/seo-sandbox")
            || (dirname($folder) !== $folder && self::isInstalled(dirname($folder)));
    }

    /** Closes the server's standard input, which stops it, and waits for its end. */
    private function stop(): void
    {
        array_map(fclose(...), $this->pipes);
        proc_close($this->process);
    }

    /** Records, clocks, policies, faults, rate limits and journal: all as at the start. */
    public function reset(): void
    {
        $this->control('POST', '/reset');
    }

    /** Sends a request to the control API, and returns what it answers. An error is thrown with its message. */
    public function control(string $method, string $path, ?array $body = null): mixed
    {
        $key = getenv('SEO_SANDBOX_ADMIN_KEY');
        $http = [
            'method' => $method,
            'header' => ['Content-Type: application/json', ...($key === false ? [] : ["Authorization: Bearer $key"])],
            'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR),
            'timeout' => 10,
            'ignore_errors' => true,
        ];
        $path = "/_sandbox$path";
        $answer = @file_get_contents($this->url . $path, false, stream_context_create(['http' => $http]));
        if ($answer === false) {
            throw new RuntimeException("$method $path: " . (error_get_last()['message'] ?? 'no answer'));
        }
        $status = (int) explode(' ', $http_response_header[0])[1];
        if ($status >= 400) {
            $message = json_decode($answer, true)['error']['message'] ?? "status $status";
            throw new RuntimeException("$method $path: $message");
        }
        return $answer === '' ? null : json_decode($answer, true, 512, JSON_THROW_ON_ERROR);
    }

    private function waitUntilHealthy(int $seconds = 30): void
    {
        for ($deadline = microtime(true) + $seconds; ; usleep(100_000)) {
            try {
                $this->control('GET', '/health');
                return;
            } catch (RuntimeException $error) {
                if (microtime(true) > $deadline) {
                    throw $error;
                }
            }
        }
    }
}
