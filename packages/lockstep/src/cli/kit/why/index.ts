// The face of this folder: what others import.
export { drawWhy } from './drawwhy.ts'
export { externalTree } from './externaltree.ts'
export { followChain } from './followchain.ts'
export { rootsOf, type WhyNode, type WhyTree, whyReport } from './whytree.ts'
