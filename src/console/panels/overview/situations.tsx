import { api } from '../../api/client.ts'
import { Card } from '../../parts/card.tsx'
import { hrefWith } from '../../state/location.ts'
import { useResource } from '../../state/resource.ts'

/** In the demo: which projects are in the middle of something. Nothing in other worlds. */
export function Showcase() {
  const { value } = useResource(async (signal) => {
    const situations = await api.get('/showcase', {}, signal)
    return Promise.all(
      situations.map(async ({ project, shows }) => {
        const { name } = await api.get(`/records/projects/${project}`, {}, signal)
        return { project, shows, name }
      }),
    )
  }, [])
  if (!value || value.length === 0) return null
  return (
    <Card title="Worth a look" class="showcase">
      <ul>
        {value.map(({ project, name, shows }) => (
          <li key={project}>
            <a href={hrefWith({ panel: 'world', project: String(project) })}>
              <bdi>{name.slice(0, 200)}</bdi>
            </a>
            <p class="soft">{shows}</p>
          </li>
        ))}
      </ul>
      <p class="note soft">As of when the world was loaded: time moves on.</p>
    </Card>
  )
}
