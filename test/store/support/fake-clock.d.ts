export function clockOf(file: string): Record<string, string>
