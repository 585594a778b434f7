import type { ComponentType } from 'preact'

/** A panel of the page. Its code is loaded when it is first shown. */
export interface PanelDefinition {
  /** In the address, as `?panel=`. */
  id: string
  title: string
  load: () => Promise<ComponentType>
}

/** The panels in the order of the navigation; the keys 1 to 7 show them. */
export const PANELS: readonly PanelDefinition[] = [
  {
    id: 'start',
    title: 'Start',
    load: async () => (await import('./start/start-panel.tsx')).StartPanel,
  },
  {
    id: 'world',
    title: 'World',
    load: async () => (await import('./world/world-panel.tsx')).WorldPanel,
  },
  {
    id: 'traffic',
    title: 'Traffic',
    load: async () => (await import('./traffic/traffic-panel.tsx')).TrafficPanel,
  },
  {
    id: 'faults',
    title: 'Faults',
    load: async () => (await import('./faults/faults-panel.tsx')).FaultsPanel,
  },
  {
    id: 'policies',
    title: 'Policies',
    load: async () => (await import('./policies/policies-panel.tsx')).PoliciesPanel,
  },
  {
    id: 'scenarios',
    title: 'Scenarios',
    load: async () => (await import('./scenarios/scenarios-panel.tsx')).ScenariosPanel,
  },
  {
    id: 'reference',
    title: 'Reference',
    load: async () => (await import('./reference/reference-panel.tsx')).ReferencePanel,
  },
]
