import type { Overview } from '../../api/types.ts'
import { useGet } from '../../state/resource.ts'
import { ProjectLink } from './counts.tsx'

/** In the demo: which projects are in the middle of something, a card each. Nothing in other worlds. */
export function Situations({ projects }: { projects: Overview['projects'] }) {
  const situations = (useGet('/showcase').value ?? []).flatMap(({ project: id, shows }) => {
    const project = projects.find((one) => one.id === id)
    return project ? [{ project, shows }] : []
  })
  if (situations.length === 0) return null
  return (
    <section class="showcase" aria-label="Worth a look">
      <h2>
        Worth a look <span class="soft">as of when the world was loaded</span>
      </h2>
      <ul>
        {situations.map(({ project, shows }) => (
          <li key={project.id} class="card">
            <ProjectLink project={project} />
            <p class="soft">{shows}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
