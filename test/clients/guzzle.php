<?php

declare(strict_types=1);

use GuzzleHttp\Client;
use GuzzleHttp\Exception\ConnectException;
use GuzzleHttp\Exception\GuzzleException;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;
use Psr\Http\Message\ResponseInterface;

require 'GuzzleHttp/autoload.php';

$stack = HandlerStack::create();
$stack->push(Middleware::retry(
    fn (int $retries, $request, ?ResponseInterface $response, $reason): bool => $retries < 3
        && ($reason instanceof ConnectException
            || ($response && ($response->getStatusCode() === 429 || $response->getStatusCode() >= 500))),
));
$client = new Client([
    'base_uri' => getenv('SEO_SANDBOX_URL'),
    'headers' => ['Authorization' => 'Bearer ' . getenv('SEO_SANDBOX_TOKEN')],
    'handler' => $stack,
]);

foreach (array_slice($argv, 1) as $project) {
    try {
        json_decode((string) $client->get("/api/v1/projects/$project")->getBody(), true, flags: JSON_THROW_ON_ERROR);
    } catch (GuzzleException | JsonException) {
    }
}
