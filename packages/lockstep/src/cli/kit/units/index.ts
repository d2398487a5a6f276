// The face of this folder: what others import.
export { readBindings } from './readbindings.ts'
export {
  type Binder,
  type BoundUnit,
  bindObjects,
  bindUnit,
  boundNow,
  bundlesOf,
  moduleOf,
  type RevisionChoice,
  revisionFor,
  revisionsOf,
  type SelectedUnit,
  selectUnits,
} from './selectunits.ts'
export { type SelectedModule, withModule } from './withmodule.ts'
export { clusterOption, withUnits } from './withunits.ts'
