import { api } from '../api/client.ts'
import { notifyOf } from '../state/notices.ts'

interface FileButtonProps {
  children: string
  accept: string
  /** Called with the chosen file. An error is shown as a notice. */
  onFile: (file: File) => unknown
}

export function FileButton({ children, accept, onFile }: FileButtonProps) {
  const choose = async (input: HTMLInputElement): Promise<void> => {
    const [file] = input.files ?? []
    // Lets the user choose the same file again.
    input.value = ''
    try {
      if (file) await onFile(file)
    } catch (error) {
      notifyOf(error)
    }
  }
  return (
    <label class="button file">
      {children}
      <input
        type="file"
        class="hidden"
        accept={accept}
        onChange={({ currentTarget }) => void choose(currentTarget)}
      />
    </label>
  )
}

export async function save(path: string, name: string): Promise<void> {
  const response = await api.send('GET', path)
  saveBlob(await response.blob(), name)
}

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
