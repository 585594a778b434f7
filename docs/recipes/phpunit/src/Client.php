<?php

declare(strict_types=1);

/** The code under test: a client that tries again when the API is unavailable. */
final class Client
{
    public function __construct(private string $baseUrl, private string $token)
    {
    }

    /** @throws RuntimeException with the status of the last response */
    public function get(string $path, int $attempts = 2): array
    {
        $headers = ["Authorization: Bearer $this->token", 'Accept: application/json'];
        $http = ['header' => $headers, 'ignore_errors' => true];
        $answer = file_get_contents($this->baseUrl . $path, false, stream_context_create(['http' => $http]));
        $status = (int) explode(' ', $http_response_header[0])[1];
        if ($status === 200) {
            return json_decode($answer, true, 512, JSON_THROW_ON_ERROR);
        }
        if ($status !== 503 || $attempts === 1) {
            throw new RuntimeException("GET $path", $status);
        }
        return $this->get($path, $attempts - 1);
    }
}
