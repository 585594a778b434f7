<?php

/** A client of the corpus for PHP: see README.md. */

declare(strict_types=1);

use GuzzleHttp\Client;

require 'GuzzleHttp/autoload.php';

const TIMEOUT = 10;

/** Sends a request. Returns the status, Retry-After, and the body; null without a response. */
function sendStreams(string $url): ?array
{
    $http = ['header' => explode("\n", getenv('CLIENT_HEADERS')), 'ignore_errors' => true, 'timeout' => TIMEOUT];
    $text = @file_get_contents($url, false, stream_context_create(['http' => $http]));
    $head = implode("\n", $http_response_header ?? []);
    if ($text === false || !preg_match('~^HTTP/\S+ (\d+)~', $head, $match)) {
        return null;
    }
    preg_match('~^Retry-After: *(\d+)~im', $head, $told);
    return [(int) $match[1], $told[1] ?? null, $text];
}

function sendCurl(string $url, CurlHandle $handle): ?array
{
    $retryAfter = null;
    curl_setopt_array($handle, [
        CURLOPT_URL => $url,
        CURLOPT_HTTPHEADER => explode("\n", getenv('CLIENT_HEADERS')),
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => TIMEOUT,
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$retryAfter): int {
            if (preg_match('~^Retry-After: *(\d+)~i', $line, $match)) {
                $retryAfter = $match[1];
            }
            return strlen($line);
        },
    ]);
    $text = curl_exec($handle);
    return $text === false ? null : [curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $retryAfter, $text];
}

function sendGuzzle(string $url): ?array
{
    static $client = new Client(['http_errors' => false, 'timeout' => TIMEOUT]);
    $headers = [];
    foreach (explode("\n", getenv('CLIENT_HEADERS')) as $line) {
        [$name, $headers[$name]] = explode(': ', $line);
    }
    try {
        $response = $client->get($url, ['headers' => $headers]);
    } catch (GuzzleHttp\Exception\GuzzleException) {
        return null;
    }
    return [$response->getStatusCode(), $response->getHeader('Retry-After')[0] ?? null, (string) $response->getBody()];
}

$handle = curl_init();
$send = match (getenv('CLIENT_LIBRARY')) {
    'streams' => sendStreams(...),
    'curl' => fn (string $url) => sendCurl($url, curl_init()),
    'curl-handle' => fn (string $url) => sendCurl($url, $handle),
    'guzzle' => sendGuzzle(...),
};

/** Reads a path as CLIENT_RETRY says; null if there is nothing to read. */
function read(string $path): ?array
{
    global $send;
    $retry = getenv('CLIENT_RETRY');
    for ($attempt = 1; $attempt <= 8; $attempt++) {
        [$status, $retryAfter, $text] = $send(getenv('SEO_SANDBOX_URL') . $path) ?? [0, null, ''];
        $body = $status === 200 ? json_decode($text, true) : null;
        if ($body !== null || $retry === 'none') {
            return $body;
        }
        if (($status === 401 || $status === 403) && $retry !== 'stubborn') {
            exit(1);
        }
        if (!in_array($status, [0, 200, 408, 429], true) && $status < 500 && $retry !== 'stubborn') {
            return null;
        }
        $seconds = match (true) {
            $retry === 'flat' || $retry === 'stubborn' => 0.3,
            $retryAfter !== null && $retry !== 'impatient' => (float) $retryAfter,
            default => 0.3 * 3 ** ($attempt - 1) * (1 + mt_rand() / mt_getrandmax() / 2),
        };
        // The client leaves a longer wait to another day.
        if ($seconds > 5) {
            exit(1);
        }
        usleep((int) ($seconds * 1_000_000));
    }
    return null;
}

foreach (array_slice($argv, 1) as $word) {
    if (str_starts_with($word, 'sleep:')) {
        usleep((int) (substr($word, 6) * 1_000_000));
    } elseif (str_starts_with($word, 'next:')) {
        for ($path = substr($word, 5); $path !== null;) {
            $path = read($path)['links']['next'] ?? null;
        }
    } else {
        read($word);
    }
}
