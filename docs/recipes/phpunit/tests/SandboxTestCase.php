<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;

/** Each test has the sandbox as at the start. */
abstract class SandboxTestCase extends TestCase
{
    protected Sandbox $sandbox;

    protected function setUp(): void
    {
        $this->sandbox = Sandbox::running();
        $this->sandbox->reset();
    }
}
