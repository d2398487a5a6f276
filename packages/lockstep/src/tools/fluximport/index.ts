// The face of this folder: what others import.
export type { ListedField } from './fieldreader.ts'
export { type ImportedModules, importedModuleText } from './importedmodule.ts'
export { type GitProblem, importFlux } from './importflux.ts'
