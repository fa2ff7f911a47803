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
        ] as [(String, KeyValuePairs<String, String>)]
    )
    func `Well-formed text is decoded identically in both modes`(
        text: String,
        expected: KeyValuePairs<String, String>
    ) {
        #expect(FormDecoder(.lenient).decode(Array(text.utf8)) == Self.fields(expected))
        #expect(FormDecoder(.strict).decode(Array(text.utf8)) == Self.fields(expected))
    }

    @Test(arguments: [
        ("a=%", "%"), ("a=%4", "%4"), ("a=100%", "100%"), ("a=%zz%4", "%zz%4"), ("a=%%41", "%A"),
        ("a=%+1%-1", "% 1%-1"), ("a=%4g", "%4g"), ("a=%é1", "%é1"), ("a=%FF", "\u{FFFD}"),
        ("a=%C3", "\u{FFFD}"), ("a=%ED%A0%80b", "\u{FFFD}\u{FFFD}\u{FFFD}b"), ("a=b%00c", "b\u{0}c"),
    ])
    func `Malformed text is decoded leniently and rejected in strict mode`(text: String, value: String) {
        #expect(FormDecoder(.lenient).decode(Array(text.utf8)) == Self.fields(["a": value]))
        #expect(FormDecoder(.strict).decode(Array(text.utf8)) == nil)
        #expect(FormDecoder(.strict).decode(Array("b=1&\(text)&c=2".utf8)) == nil)
    }

    @Test(arguments: ["%=1", "%00=1", "%FF", "a=1&%zz=2"])
    func `A malformed name is rejected in strict mode`(text: String) {
        #expect(FormDecoder(.lenient).decode(Array(text.utf8)) != nil)
        #expect(FormDecoder(.strict).decode(Array(text.utf8)) == nil)
    }

    @Test func `Bytes that are not UTF-8 are rejected in strict mode`() {
        let bytes = Array("a=".utf8) + [0xC3, 0x28]

        #expect(FormDecoder(.lenient).decode(bytes) == Self.fields(["a": "\u{FFFD}("]))
        #expect(FormDecoder(.strict).decode(bytes) == nil)
    }
}
