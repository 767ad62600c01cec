// The rules of CHANGELOG.md: https://keepachangelog.com.

const HEADING = /^## \[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$/;

interface Section {
  readonly name: string;
  readonly date: string | undefined;
  readonly text: string;
}

/** The notes of a version, for its page. Throws if the changelog has no such version. */
export function releaseNotes(changelog: string, version: string): string {
  const section = sectionsOf(changelog).find(({ name }) => name === version);
  if (!section) throw new Error(`CHANGELOG.md has no section ## [${version}]`);
  return section.text;
}

/** Returns what prevents a release of this version. */
export function changelogProblems(changelog: string, version: string): string[] {
  const [first, ...others] = sectionsOf(changelog);
  const problems: string[] = [];
  if (first?.name !== 'Unreleased') problems.push('the first section of CHANGELOG.md must be ## [Unreleased]');
  else if (first.text !== '') problems.push(`move the lines of ## [Unreleased] in CHANGELOG.md to ## [${version}]`);
  const section = others.find(({ name }) => name === version);
  if (!section) return [...problems, `CHANGELOG.md needs a section ## [${version}] - YYYY-MM-DD`];
  if (section !== others[0]) problems.push(`## [${version}] must be the newest version in CHANGELOG.md`);
  if (section.date === undefined)
    problems.push(`the heading ## [${version}] in CHANGELOG.md needs a date: - YYYY-MM-DD`);
  if (section.text === '') problems.push(`## [${version}] in CHANGELOG.md is empty`);
  return problems;
}

function sectionsOf(changelog: string): Section[] {
  return changelog.split(/^(?=## )/m).flatMap((part) => {
    const [heading, ...lines] = part.split('\n');
    const [, name, date] = HEADING.exec(heading!) ?? [];
    return name === undefined ? [] : [{ name, date, text: lines.join('\n').trim() }];
  });
}
