// The face of this folder: what others import.
export { endedText, endHoldsOn, printEnded } from './endedholds.ts'
export { holdEnd } from './holdend.ts'
export { endHold, holdName, isOn, putHold, readModuleHolds } from './moduleholds.ts'
export { pinText, pinUnits, unpinUnits } from './pinunits.ts'
export { resumeModule } from './resumemodule.ts'
export { suspendModule } from './suspendmodule.ts'
export { unitWord } from './unitword.ts'
