/** Absolute paths of the faces of all packages below `root`, by the specifier that imports them. */
export function facesOf(root: string): Record<string, string>
