import type { ComponentType } from 'preact'
import { ConnectPanel } from './connect/connect-panel.tsx'
import { FaultsPanel } from './faults/faults-panel.tsx'
import { OverviewPanel } from './overview/overview-panel.tsx'
import { PartnersPanel } from './partners/partners-panel.tsx'
import { PoliciesPanel } from './policies/policies-panel.tsx'
import { ReferencePanel } from './reference/reference-panel.tsx'
import { ScenariosPanel } from './scenarios/scenarios-panel.tsx'
import { TrafficPanel } from './traffic/traffic-panel.tsx'
import { WorldPanel } from './world/world-panel.tsx'

/** A panel of the page. */
export interface PanelDefinition {
  /** In the address, as `?panel=`. */
  id: string
  title: string
  Panel: ComponentType
  /** Whether it is for the operator of a server with a store alone. */
  isForOperator?: boolean
}

/** The panels in the order of the navigation, in which those that everybody has are shown by the keys from 1 on. */
export const PANELS: readonly [PanelDefinition, ...PanelDefinition[]] = [
  { id: 'overview', title: 'Overview', Panel: OverviewPanel },
  { id: 'world', title: 'World', Panel: WorldPanel },
  { id: 'connect', title: 'Connect', Panel: ConnectPanel },
  { id: 'traffic', title: 'Traffic', Panel: TrafficPanel },
  { id: 'faults', title: 'Faults', Panel: FaultsPanel },
  { id: 'policies', title: 'Policies', Panel: PoliciesPanel },
  { id: 'scenarios', title: 'Scenarios', Panel: ScenariosPanel },
  { id: 'reference', title: 'Reference', Panel: ReferencePanel },
  { id: 'partners', title: 'Partners', Panel: PartnersPanel, isForOperator: true },
]
