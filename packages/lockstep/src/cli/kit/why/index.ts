// The face of this folder: what others import.
export { drawWhy } from './drawwhy.ts'
export { readTree } from './readtree.ts'
export { type WhyTree, whyReport } from './whytree.ts'
