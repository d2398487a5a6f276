// The face of this folder: what others import.
export { CLUSTERGROUP_TOPIC } from './clustergrouptopic.ts'
export { type FileModules, fileModulesOf, moduleRefusal, readFileModules, titleOf } from './filemodules.ts'
export { readValues } from './readvalues.ts'
export { asResolved, bindFileModule, renderFileModule } from './renderfilemodule.ts'
export { printWarnings, readAllValues, refusedValues, renderValues } from './rendervalues.ts'
