import type { ComponentType } from 'preact'
import { later, LaterPartners } from './later.tsx'
import { OverviewPanel } from './overview/overview-panel.tsx'
import { TrafficPanel } from './traffic/traffic-panel.tsx'

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
  define('Overview', OverviewPanel),
  laterPanel('World'),
  laterPanel('Connect'),
  define('Traffic', TrafficPanel),
  laterPanel('Faults'),
  laterPanel('Policies'),
  laterPanel('Scenarios'),
  laterPanel('Reference'),
  { ...define('Partners', LaterPartners), isForOperator: true },
]

function laterPanel(title: Parameters<typeof later>[0]): PanelDefinition {
  return define(title, later(title))
}

function define(title: string, Panel: ComponentType): PanelDefinition {
  return { id: title.toLowerCase(), title, Panel }
}
