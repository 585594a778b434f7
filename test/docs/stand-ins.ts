import assert from 'node:assert/strict'
import { startServer } from '../../src/server.ts'
import type { Project } from './project.ts'
import type { Block } from './sections.ts'

/**
 * Runs an example of docs/recipes/testcontainers/README.md against a server of this process. The stand-ins have the classes
 * and functions of Testcontainers, and of JUnit, that the examples use: they start no container, require its image, port
 * and key, and ask the server for the path of the wait strategy.
 */
export async function runWithStandIns(
  { language, code, line }: Block,
  project: Project,
): Promise<void> {
  const { files, example, run } = STAND_INS[language] ?? assert.fail(`Nothing runs ${language}.`)
  const folder = `line-${line}`
  for (const [name, text] of Object.entries({ ...files, [example]: code }))
    await project.write(`${folder}/${name}`, text)
  const server = await startServer({ port: 0, adminKey: KEY })
  try {
    await project.run(`cd ${folder} && export SANDBOX_PORT=${server.port} && ${run}`)
    // Of the two requests of the tests, the reset before the second has left one.
    assert.equal(server.sandbox.requests.matching({}).length, 1)
  } finally {
    await server.close()
  }
}

const KEY = 'only-for-these-tests'

interface StandIn {
  /** Its files, by name. */
  files: Record<string, string>
  /** The name of the file with the example. */
  example: string
  /** Compiles and runs the example. */
  run: string
}

const annotation = (name: string) =>
  `import java.lang.annotation.*; @Retention(RetentionPolicy.RUNTIME) public @interface ${name} {}\n`

const JAVA: StandIn = {
  example: 'SyncTest.java',
  run: 'javac -Xlint:all -Werror -d out $(find . -name "*.java") && java -cp out Runner',
  files: {
    'org/junit/jupiter/api/Test.java': `package org.junit.jupiter.api; ${annotation('Test')}`,
    'org/junit/jupiter/api/BeforeEach.java': `package org.junit.jupiter.api; ${annotation('BeforeEach')}`,
    'org/testcontainers/junit/jupiter/Container.java': `package org.testcontainers.junit.jupiter; ${annotation('Container')}`,
    'org/testcontainers/junit/jupiter/Testcontainers.java': `package org.testcontainers.junit.jupiter; ${annotation('Testcontainers')}`,
    'org/junit/jupiter/api/Assertions.java': `package org.junit.jupiter.api;
public class Assertions {
    public static void assertEquals(int expected, int actual) {
        if (expected != actual) throw new AssertionError(actual + " is not " + expected);
    }
}
`,
    'org/testcontainers/containers/wait/strategy/WaitStrategy.java':
      'package org.testcontainers.containers.wait.strategy; public interface WaitStrategy {}\n',
    'org/testcontainers/containers/wait/strategy/HttpWaitStrategy.java':
      'package org.testcontainers.containers.wait.strategy; public record HttpWaitStrategy(String path) implements WaitStrategy {}\n',
    'org/testcontainers/containers/wait/strategy/Wait.java': `package org.testcontainers.containers.wait.strategy;
public class Wait {
    public static HttpWaitStrategy forHttp(String path) { return new HttpWaitStrategy(path); }
}
`,
    'org/testcontainers/containers/GenericContainer.java': `package org.testcontainers.containers;
import java.net.*;
import java.util.*;
import org.testcontainers.containers.wait.strategy.*;
public class GenericContainer<SELF extends GenericContainer<SELF>> {
    private final List<Object> given = new ArrayList<>();
    private String path;
    public GenericContainer(String image) { given.add(image); }
    @SuppressWarnings("unchecked")
    private SELF self() { return (SELF) this; }
    public SELF withEnv(String name, String value) { given.add(name + "=" + value); return self(); }
    public SELF withExposedPorts(Integer... ports) { given.addAll(List.of(ports)); return self(); }
    public SELF waitingFor(WaitStrategy strategy) { path = ((HttpWaitStrategy) strategy).path(); return self(); }
    public String getHost() { return "127.0.0.1"; }
    public Integer getMappedPort(int port) { return Integer.valueOf(System.getenv("SANDBOX_PORT")); }
    public void start() {
        if (!given.equals(List.of("seo-sandbox", "SEO_SANDBOX_ADMIN_KEY=${KEY}", 4010))) throw new AssertionError(given);
        try {
            var connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + getMappedPort(4010) + path).toURL().openConnection();
            if (connection.getResponseCode() != 200) throw new AssertionError(path);
        } catch (java.io.IOException error) { throw new AssertionError(error); }
    }
}
`,
    'Runner.java': `import org.junit.jupiter.api.*;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
class Runner {
    public static void main(String[] args) throws Exception {
        for (var field : SyncTest.class.getDeclaredFields())
            if (field.isAnnotationPresent(Container.class)) ((GenericContainer<?>) field.get(null)).start();
        var methods = SyncTest.class.getDeclaredMethods();
        for (var test : methods) {
            if (!test.isAnnotationPresent(Test.class)) continue;
            var instance = new SyncTest();
            for (var before : methods) if (before.isAnnotationPresent(BeforeEach.class)) before.invoke(instance);
            test.invoke(instance);
        }
    }
}
`,
  },
}

const GO_MODULE = 'github.com/testcontainers/testcontainers-go'

const GO: StandIn = {
  example: 'client_test.go',
  run: 'test -z "$(gofmt -l client_test.go)" && GOFLAGS=-mod=mod GOPROXY=off GOCACHE="$PWD/cache" go vet ./... && GOPROXY=off GOCACHE="$PWD/cache" go test ./...',
  files: {
    'go.mod': `module example.com/client\n\ngo 1.19\n\nrequire ${GO_MODULE} v0.0.0\n\nreplace ${GO_MODULE} => ./stand-in\n`,
    'stand-in/go.mod': `module ${GO_MODULE}\n\ngo 1.19\n`,
    'stand-in/wait/wait.go': `package wait

type Strategy interface{ URL() string }

type HTTPStrategy struct{ path, port string }

func ForHTTP(path string) *HTTPStrategy { return &HTTPStrategy{path: path} }

func (ws *HTTPStrategy) WithPort(port string) *HTTPStrategy { ws.port = port; return ws }

func (ws *HTTPStrategy) URL() string { return ws.port + ws.path }
`,
    'stand-in/testcontainers.go': `package testcontainers

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"${GO_MODULE}/wait"
)

type ContainerCustomizer func(*DockerContainer)

type DockerContainer struct {
	given []string
	waits []wait.Strategy
}

func WithEnv(envs map[string]string) ContainerCustomizer {
	return func(c *DockerContainer) { c.given = append(c.given, fmt.Sprint(envs)) }
}

func WithExposedPorts(ports ...string) ContainerCustomizer {
	return func(c *DockerContainer) { c.given = append(c.given, ports...) }
}

func WithWaitStrategy(strategies ...wait.Strategy) ContainerCustomizer {
	return func(c *DockerContainer) { c.waits = strategies }
}

func Run(ctx context.Context, img string, opts ...ContainerCustomizer) (*DockerContainer, error) {
	c := &DockerContainer{given: []string{img}}
	for _, opt := range opts {
		opt(c)
	}
	if given := strings.Join(c.given, " "); given != "seo-sandbox map[SEO_SANDBOX_ADMIN_KEY:${KEY}] 4010/tcp" {
		return nil, fmt.Errorf("given %s", given)
	}
	for _, strategy := range c.waits {
		url := strings.Replace(strategy.URL(), "4010/tcp", "http://127.0.0.1:"+os.Getenv("SANDBOX_PORT"), 1)
		response, err := http.Get(url)
		if err != nil || response.StatusCode != 200 {
			return nil, fmt.Errorf("%s: %v", url, err)
		}
	}
	return c, nil
}

func CleanupContainer(tb testing.TB, ctr *DockerContainer) {}

func (c *DockerContainer) PortEndpoint(ctx context.Context, port string, proto string) (string, error) {
	return proto + "://127.0.0.1:" + os.Getenv("SANDBOX_PORT"), nil
}
`,
  },
}

const NODE: StandIn = {
  example: 'sync.test.ts',
  run: 'npx tsc && npx vitest run sync.test.ts',
  files: {
    'tsconfig.json':
      '{ "extends": "../tsconfig.json", "compilerOptions": { "paths": { "testcontainers": ["./testcontainers.ts"] }, "allowImportingTsExtensions": true, "noEmit": true } }',
    'vitest.config.js': `import { fileURLToPath } from 'node:url'
export default {
  resolve: { alias: { testcontainers: fileURLToPath(new URL('testcontainers.ts', import.meta.url)) } },
}
`,
    'testcontainers.ts': `import { deepEqual, equal } from 'node:assert/strict'

export class Wait {
  static forHttp(path: string, port: number) {
    return { path, port }
  }
}

export interface StartedTestContainer {
  getHost(): string
  getMappedPort(port: number): number
  stop(): Promise<object>
}

export class GenericContainer {
  given: unknown[]
  path = ''
  constructor(image: string) {
    this.given = [image]
  }
  withEnvironment(environment: Record<string, string>): this {
    this.given.push(environment)
    return this
  }
  withExposedPorts(...ports: number[]): this {
    this.given.push(...ports)
    return this
  }
  withWaitStrategy({ path, port }: { path: string; port: number }): this {
    this.given.push(port)
    this.path = path
    return this
  }
  async start(): Promise<StartedTestContainer> {
    deepEqual(this.given, ['seo-sandbox', { SEO_SANDBOX_ADMIN_KEY: '${KEY}' }, 4010, 4010])
    const port = Number(process.env['SANDBOX_PORT'])
    equal((await fetch(\`http://127.0.0.1:\${port}\${this.path}\`)).status, 200)
    return { getHost: () => '127.0.0.1', getMappedPort: () => port, stop: async () => ({}) }
  }
}
`,
  },
}

const PYTHON: StandIn = {
  example: 'test_sync.py',
  run: 'PYTHONPATH=. pytest -q -p no:cacheprovider test_sync.py',
  files: {
    'testcontainers/__init__.py': '',
    'testcontainers/core/__init__.py': '',
    'testcontainers/core/wait_strategies.py': `class HttpWaitStrategy:
    def __init__(self, port, path="/"):
        self.port, self.path = port, path
`,
    'testcontainers/core/container.py': `import os
from urllib.request import urlopen


class DockerContainer:
    def __init__(self, image):
        self.given = [image]

    def with_env(self, key, value):
        self.given.append(f"{key}={value}")
        return self

    def with_exposed_ports(self, *ports):
        self.given += ports
        return self

    def waiting_for(self, strategy):
        self.given.append(strategy.port)
        self.path = strategy.path
        return self

    def __enter__(self):
        assert self.given == ["seo-sandbox", "SEO_SANDBOX_ADMIN_KEY=${KEY}", 4010, 4010]
        assert urlopen(f"http://127.0.0.1:{self.get_exposed_port(4010)}{self.path}").status == 200
        return self

    def __exit__(self, *_):
        pass

    def get_container_host_ip(self):
        return "127.0.0.1"

    def get_exposed_port(self, port):
        return int(os.environ["SANDBOX_PORT"])
`,
  },
}

const STAND_INS: Record<string, StandIn> = { java: JAVA, go: GO, ts: NODE, python: PYTHON }
