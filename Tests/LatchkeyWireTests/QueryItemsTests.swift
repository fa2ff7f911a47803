import LatchkeyWire
import Testing

@Suite struct `Query items` {
    @Test(arguments: [
        ("flow=1&a=2", "1"), ("a=2&flow=1", "1"), ("flow=1&flow=2", "1"), ("flow", ""), ("flow=", ""),
        ("flow=a=b", "a=b"), ("flow=a%3Db%26c", "a=b&c"), ("flow=a+b%2Bc", "a b+c"), ("%66low=1", "1"),
        ("&&flow=1&&", "1"), ("flow=%C3%A9", "é"), ("flow=100%", "100%"), ("flow=%zz%4", "%zz%4"),
        ("flow=%+1%-1", "% 1%-1"), ("flow=%25%32%35", "%25"), ("flow=%FF", "\u{FFFD}"), ("flow=é", "é"),
        ("flow=%2", "%2"), ("flow=%", "%"), ("flow=%%41", "%A"), ("flow=a?b/c", "a?b/c"),
    ])
    func `A query is decoded like a form`(query: String, value: String) {
        #expect(QueryItems(query)["flow"] == value)
    }

    @Test(arguments: [nil, "", "&", "=1", "Flow=1", "flows=1", "%=1", "a=flow", "=flow"])
    func `Looking up a missing name returns nil`(query: String?) {
        #expect(QueryItems(query)["flow"] == nil)
    }

    @Test func `Every encoded text can be decoded`() {
        for value in UInt32(0)...0x2FFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a\(Character(scalar))b"
            let encoded = QueryItems.encode(text)
            #expect(QueryItems("x=\(encoded)&y=1")["x"]?.utf8.elementsEqual(text.utf8) == true, "\(value)")
            #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
        #expect(QueryItems.encode("aZ09-._~ +&=%") == "aZ09-._~%20%2B%26%3D%25")
    }
}
