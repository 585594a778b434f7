<?php

// Your autoloader, as Composer writes it, takes the place of these.
require_once __DIR__ . '/../src/Client.php';
require_once __DIR__ . '/Sandbox.php';
require_once __DIR__ . '/SandboxTestCase.php';
