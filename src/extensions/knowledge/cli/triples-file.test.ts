import { describe, expect, it } from 'vitest'
import { parseTriples } from './triples-file.ts'

const good = { subject: 'a', predicate: 'is', object: 'b' }

describe('a file of triples', () => {
  it('is JSON: a list, or an object with one', () => {
    expect(parseTriples(JSON.stringify([good]), 'x.json')).toEqual([good])
    expect(parseTriples(`\uFEFF${JSON.stringify({ triples: [good] })}`, 'X.JSON')).toEqual([good])
  })

  it('is a table with or without a header, in any order of its columns', () => {
    expect(parseTriples('a,is,b\n', 'x.csv')).toEqual([good])
    expect(parseTriples('a\tis\tb\tthing\t\tso it is', 'x.tsv')).toEqual([
      { ...good, subjectType: 'thing', evidence: 'so it is' },
    ])
    expect(
      parseTriples('Object,note,PREDICATE,Subject,subject_type\r\nb,x,is,a,thing\r\n\r\n', 'x.csv'),
    ).toEqual([{ ...good, subjectType: 'thing' }])
    expect(parseTriples('', 'x.csv')).toEqual([])
  })

  it('may have quotes around fields, with quotes, separators and line breaks inside', () => {
    expect(parseTriples('"a, ""b""\nc",is,"d"\ne,is,f,', 'x.csv')).toEqual([
      { subject: 'a, "b"\nc', predicate: 'is', object: 'd' },
      { subject: 'e', predicate: 'is', object: 'f' },
    ])
    expect(parseTriples('人工智能\t属于\t计算机科学', 'x.tsv')).toEqual([
      { subject: '人工智能', predicate: '属于', object: '计算机科学' },
    ])
  })

  it.each([
    ['{', 'x.json', 'not valid JSON'],
    ['{"a": 1}', 'x.json', 'list of triples'],
    ['a', 'x.txt', '.json, .csv or .tsv'],
    ['"a,is,b', 'x.csv', 'not closed'],
    ['"a"b,is,c', 'x.csv', 'after a closing quote'],
    ['subject,object\na,b', 'x.csv', 'no column "predicate"'],
  ])('%j in %s is refused: %s', (text, file, message) => {
    expect(() => parseTriples(text, file)).toThrow(message)
  })
})
