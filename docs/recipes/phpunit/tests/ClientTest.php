<?php

declare(strict_types=1);

final class ClientTest extends SandboxTestCase
{
    private const UNAVAILABLE = ['kind' => 'status', 'status' => 503];

    private function client(): Client
    {
        return new Client($this->sandbox->api, 'sandbox-unlimited');
    }

    public function testARequestIsRepeatedOnce(): void
    {
        $this->sandbox->control('POST', '/faults', [...self::UNAVAILABLE, 'schedule' => ['first' => 1]]);
        $this->assertNotEmpty($this->client()->get('/projects')['data']);
        $expected = ['requests' => ['route' => 'GET /projects'], 'times' => 2];
        $verdict = $this->sandbox->control('POST', '/verify', $expected);
        $this->assertTrue($verdict['passed'], $verdict['message']);
    }

    public function testASecondFailureIsReported(): void
    {
        $this->sandbox->control('POST', '/faults', self::UNAVAILABLE);
        $this->expectExceptionCode(503);
        $this->client()->get('/projects');
    }

    public function testEachTestStartsWithoutTheFaultsOfTheOthers(): void
    {
        $this->assertSame([], $this->sandbox->control('GET', '/requests'));
        $this->assertSame('active', $this->client()->get('/me', 1)['status']);
    }

    public function testAMistakeInATestIsExplained(): void
    {
        $this->expectExceptionMessage('Did you mean "schedule"?');
        $this->sandbox->control('POST', '/faults', [...self::UNAVAILABLE, 'schedul' => ['first' => 1]]);
    }

    public function testTheMonthCanBeChosen(): void
    {
        $this->sandbox->control('POST', '/clock', ['now' => '2026-04-01', 'frozen' => true]);
        $projects = $this->client()->get('/projects');
        $this->assertSame('2026-04-01T00:00:00.000000Z', $projects['cache_refreshed_at']);
    }
}
