/** The labels of fields whose own names say too little, or too much. */
const LABELS: Readonly<Record<string, string>> = {
  id: 'ID',
  gsc_status: 'Search Console',
  date_to_create_texts: 'Texts due',
  pdf_link: 'PDF',
}

/** A field in words: `Texts due`. */
export function toLabel(name: string): string {
  const words = name.replaceAll('_', ' ')
  return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1)
}
