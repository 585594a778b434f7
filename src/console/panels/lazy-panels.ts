/** The panels that are not needed to show the first one: one file, because several would share most of their code. The operator's panel is in another. */
export { ConnectPanel } from './connect/connect-panel.tsx'
export { FaultsPanel } from './faults/faults-panel.tsx'
export { PoliciesPanel } from './policies/policies-panel.tsx'
export { ReferencePanel } from './reference/reference-panel.tsx'
export { TrafficPanel } from './traffic/traffic-panel.tsx'
export { WorldPanel } from './world/world-panel.tsx'
export { ScenariosPanel } from './scenarios/scenarios-panel.tsx'
