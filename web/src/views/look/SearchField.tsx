/** A field of a toolbar that searches or chooses by names. */
export function SearchField({
  hint,
  isUnknown,
  label,
  onChange,
  value,
}: {
  readonly label: string;
  /** Shown in the empty field. */
  readonly hint: string;
  readonly value: string;
  /** Whether the value contains unknown names. */
  readonly isUnknown?: boolean;
  readonly onChange: (value: string) => void;
}) {
  return (
    <input
      type="search"
      aria-label={label}
      aria-invalid={isUnknown}
      placeholder={hint}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
