import { defineComponent, h, ref } from 'vue'

/**
 * @typedef {(source: string, value: unknown) => Promise<void>} Show
 * @typedef {{ run: (console: Record<'log' | 'table', (...values: unknown[]) => void>, show: Show) => Promise<void> }} Example
 * @typedef {{ source?: string, text: string }} Output the printed text, or the value of an expression
 */

/** Examples written by `site/examples.js`, each loaded when somebody runs it. */
const EXAMPLES = /** @type {Record<string, () => Promise<Example>>} */ (
  import.meta.glob('../../generated/examples/*.ts')
)

/** A button that runs an example, with the output below. */
export const RunExample = defineComponent({
  props: { name: { type: String, required: true } },
  setup(props) {
    const isRunning = ref(false)
    const status = ref('')
    /** @type {import('vue').Ref<Output[]>} */
    const outputs = ref([])

    const print = (/** @type {unknown[]} */ ...values) => {
      outputs.value.push({ text: values.map((value) => format(value)).join(' ') })
    }
    /** @type {Show} */
    const show = async (source, value) => {
      if (value === undefined) return
      const text = value instanceof Response ? await formatResponse(value) : format(value)
      outputs.value.push({ source, text })
    }
    const run = async () => {
      if (isRunning.value) return
      isRunning.value = true
      status.value = 'Running…'
      outputs.value = []
      try {
        await runExample(props.name, print, show)
        status.value = 'Done.'
      } catch (error) {
        status.value = `The example failed: ${error instanceof Error ? error.message : error}`
      } finally {
        isRunning.value = false
      }
    }

    return () =>
      h('div', { class: 'run-example' }, [
        // Not `disabled`, which would take the keyboard focus away.
        h('button', { type: 'button', 'aria-disabled': isRunning.value, onClick: run }, 'Run'),
        h('span', { role: 'status' }, status.value),
        outputs.value.length > 0 &&
          h(
            'pre',
            { tabindex: 0, role: 'region', 'aria-label': 'Output' },
            outputs.value.map(({ source, text }) => [
              source !== undefined && h('span', { class: 'token-comment' }, `${source}\n`),
              `${text}\n`,
            ]),
          ),
      ])
  },
})

/**
 * @param {string} name
 * @param {(...values: unknown[]) => void} print
 * @param {Show} show
 */
async function runExample(name, print, show) {
  // Zod, which the library contains, would probe for `eval`, and the browser would report a violation.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
  const load = EXAMPLES[`../../generated/examples/${name}.ts`]
  if (load === undefined) throw new Error('It is not part of this site.')
  const example = await load()
  await example.run({ log: print, table: print }, show)
}

/** @param {unknown} value */
function format(value) {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? String(value))
}

/** @param {Response} response */
async function formatResponse(response) {
  const body = await response.clone().text()
  return `HTTP ${response.status}\n${indent(body)}`
}

/** @param {string} body */
function indent(body) {
  try {
    return format(JSON.parse(body))
  } catch {
    return body
  }
}
