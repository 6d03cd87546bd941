/** A value of any JSON form: text, names with their values, or a list; a part of what is long until all is asked for. */

import { useState } from "react";

const LONGEST = 300;
const MOST = 20;

export function Value({ value }: { value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const isNested = typeof value === "object" && value !== null;
  const parts = isNested ? Object.entries(value) : [];
  const text = isNested || value === null || value === "" ? "none" : String(value);
  const isCut = isNested ? parts.length > MOST : text.length > LONGEST;
  const shown = parts.slice(0, isOpen ? undefined : MOST);
  return (
    <>
      {!parts.length && <span className="text">{isCut && !isOpen ? `${text.slice(0, LONGEST)}…` : text}</span>}
      {parts.length > 0 && Array.isArray(value) && (
        <ul>
          {shown.map(([name, each]) => (
            <li key={name}>
              <Value value={each} />
            </li>
          ))}
        </ul>
      )}
      {parts.length > 0 && !Array.isArray(value) && (
        <dl>
          {shown.map(([name, each]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Value value={each} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {isCut && !isOpen && <button onClick={() => setOpen(true)}>Show all</button>}
    </>
  );
}
