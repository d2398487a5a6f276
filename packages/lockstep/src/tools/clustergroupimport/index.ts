// The face of this folder: what others import.
export { branchIn, gitOriginIn, sourceUrlOf } from './gitorigin.ts'
export {
  type GroupListed,
  type GroupSource,
  type ImportedGroup,
  importClusterGroup,
} from './importclustergroup.ts'
