import LatchkeyModel
import LatchkeyWire
import Testing

@Suite struct `Form decoder` {
    private static func fields(_ pairs: KeyValuePairs<String, String>) -> [FormDecoder.Field] {
        pairs.map { FormDecoder.Field(name: $0.key, value: $0.value) }
    }

    @Test(
        arguments: [
            ("", [:]), ("&", [:]), ("&&a=1&&", ["a": "1"]),
            ("a=1&b=2", ["a": "1", "b": "2"]), ("a=1&a=2", ["a": "1", "a": "2"]),
            ("a", ["a": ""]), ("a=", ["a": ""]), ("=1", ["": "1"]), ("=", ["": ""]),
            ("a=b=c", ["a": "b=c"]), ("a=b%3Dc%26d", ["a": "b=c&d"]), ("%61=%62", ["a": "b"]),
            ("a+b=c+d%2Be", ["a b": "c d+e"]), ("a=%25%32%35", ["a": "%25"]), ("a=%c3%A9é", ["a": "éé"]),
            ("a=?b/c#d", ["a": "?b/c#d"]), ("a=%F0%9F%94%91", ["a": "🔑"]),
            ("a=%EF%BF%BD\u{FFFD}", ["a": "\u{FFFD}\u{FFFD}"]),
        ] as [(String, KeyValuePairs<String, String>)]
    )
    func `Well-formed text is decoded identically in both modes`(
        text: String,
        expected: KeyValuePairs<String, String>
    ) throws {
        #expect(try FormDecoder(.lenient).decode(Array(text.utf8)) == Self.fields(expected))
        #expect(try FormDecoder(.strict).decode(Array(text.utf8)) == Self.fields(expected))
    }

    @Test(arguments: [
        ("a=%", "%"), ("a=%4", "%4"), ("a=100%", "100%"), ("a=%zz%4", "%zz%4"), ("a=%%41", "%A"),
        ("a=%+1%-1", "% 1%-1"), ("a=%4g", "%4g"), ("a=%é1", "%é1"), ("a=b%00c", "b\u{0}c"),
    ])
    func `Malformed text is decoded leniently and rejected in strict mode`(text: String, value: String) throws
    {
        #expect(try FormDecoder(.lenient).decode(Array(text.utf8)) == Self.fields(["a": value]))
        #expect(throws: FormDecoder.Failure.malformed) { try FormDecoder(.strict).decode(Array(text.utf8)) }
        #expect(throws: FormDecoder.Failure.malformed) {
            try FormDecoder(.strict).decode(Array("b=1&\(text)&c=2".utf8))
        }
    }

    @Test(arguments: ["%=1", "%00=1", "a=1&%zz=2"])
    func `A malformed name is rejected in strict mode`(text: String) throws {
        #expect(try !FormDecoder(.lenient).decode(Array(text.utf8)).isEmpty)
        #expect(throws: FormDecoder.Failure.malformed) { try FormDecoder(.strict).decode(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            ("a=%FF", 2), ("a=%C3", 2), ("a=%C3&b=1", 2), ("a=x%20+%ED%A0%80b", 7), ("%FF", 0),
            ("a=1&%FF=1", 4),
            ("a=%C3%A9é%C3%28", 10), ("a=%F0%9F%94", 2), ("a=%C0%80", 2),
        ],
        [FormDecoder.Strictness.lenient, .strict]
    )
    func `Bytes that are not UTF-8 are rejected with their position`(
        input: (text: String, offset: Int),
        strictness: FormDecoder.Strictness
    ) {
        #expect(throws: FormDecoder.Failure.encoding(InvalidUTF8(offset: input.offset))) {
            try FormDecoder(strictness).decode(Array(input.text.utf8))
        }
    }

    @Test(arguments: [FormDecoder.Strictness.lenient, .strict])
    func `Unescaped bytes that are not UTF-8 are rejected`(strictness: FormDecoder.Strictness) {
        #expect(throws: FormDecoder.Failure.encoding(InvalidUTF8(offset: 2))) {
            try FormDecoder(strictness).decode(Array("a=".utf8) + [0xC3, 0x28])
        }
    }
}
