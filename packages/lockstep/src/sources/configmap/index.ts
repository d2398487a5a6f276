// The face of this folder: what others import.
export { namedInputs } from './configmapsource.ts'
export { parsedResource, resourceHash } from './resourcesource.ts'
