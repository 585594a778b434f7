/** All panels except Overview and Partners. One import loads them, because they share most of their code. */
export { ConnectPanel } from './connect/connect-panel.tsx'
export { FaultsPanel } from './faults/faults-panel.tsx'
export { PoliciesPanel } from './policies/policies-panel.tsx'
export { ReferencePanel } from './reference/reference-panel.tsx'
export { TrafficPanel } from './traffic/traffic-panel.tsx'
export { WorldPanel } from './world/world-panel.tsx'
export { ScenariosPanel } from './scenarios/scenarios-panel.tsx'
