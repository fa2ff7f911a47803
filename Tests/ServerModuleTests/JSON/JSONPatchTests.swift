import LatchkeyServerKit
import LatchkeyWire
import Testing

@Suite struct `JSON Patch` {
    private func apply(_ patch: String, to document: String) throws -> String {
        let patch = try JSONPatch(try JSONParser.parse(Array(patch.utf8)))
        var writer = JSONWriter()
        writer.value(ordered: try patch.applied(to: try JSONParser.parse(Array(document.utf8))))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Examples from RFC 6902, appendix A, and similar cases.
    @Test(arguments: [
        (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#, #"{"foo":"bar","baz":"qux"}"#),
        (
            #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
            #"{"foo":["bar","qux","baz"]}"#
        ),
        (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
        (#"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["bar","baz"]}"#),
        (
            #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
            #"{"baz":"boo","foo":"bar"}"#
        ),
        (
            #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
            #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
            #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
        ),
        (
            #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
            #"{"foo":["all","cows","eat","grass"]}"#
        ),
        // A slash followed by a combining mark is a single character in Swift, but the slash must still
        // separate the path segments.
        (
            "{\"a\":{\"\u{301}b\":1}}", "[{\"op\":\"remove\",\"path\":\"/a/\u{301}b\"}]", #"{"a":{}}"#
        ),
        (#"{"baz":"qux"}"#, #"[{"op":"test","path":"/baz","value":"qux"}]"#, #"{"baz":"qux"}"#),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"a":{}}}]"#,
            #"{"foo":"bar","child":{"a":{}}}"#
        ),
        (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":1,"xyz":123}]"#, #"{"foo":"bar","baz":1}"#),
        (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
        (
            #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc"]}]"#,
            #"{"foo":["bar",["abc"]]}"#
        ),
        (#"{"a":1}"#, #"[{"op":"copy","from":"/a","path":"/b"}]"#, #"{"a":1,"b":1}"#),
        (#"{"a":1}"#, #"[{"op":"add","path":"/a","value":2}]"#, #"{"a":2}"#),
        (#"{"a":1}"#, #"[{"op":"replace","path":"","value":[]}]"#, "[]"),
        (#"[1]"#, "[]", "[1]"),
    ])
    func `Patches are applied as specified in RFC 6902`(document: String, patch: String, result: String)
        throws
    {
        #expect(try apply(patch, to: document) == result)
    }

    @Test(arguments: [
        #"[{"op":"add","path":"/a/b","value":1}]"#, #"[{"op":"remove","path":"/no"}]"#,
        #"[{"op":"replace","path":"/a/b","value":1}]"#, #"[{"op":"test","path":"/a","value":"1"}]"#,
        #"[{"op":"replace","path":"/list/1","value":1}]"#, #"[{"op":"replace","path":"/new/0","value":1}]"#,
        #"[{"op":"add","path":"/new/1","value":1}]"#, #"[{"op":"add","path":"/new/2024/a","value":1}]"#,
        #"[{"op":"add","path":"/list/-/a","value":1}]"#, #"[{"op":"add","path":"/list/0/a","value":1}]"#,
        #"[{"op":"add","path":"/list/-1","value":1}]"#, #"[{"op":"add","path":"/list/a","value":1}]"#,
        #"[{"op":"remove","path":"/no/no"}]"#, #"[{"op":"copy","from":"/a","path":"/no/b"}]"#,
        #"[{"op":"move","from":"/a","path":"/no/b"}]"#,
        #"[{"op":"test","path":"/no","value":null}]"#, #"[{"op":"add","path":"/list/2","value":1}]"#,
        #"[{"op":"add","path":"/list/01","value":1}]"#, #"[{"op":"add","path":"/list/+1","value":1}]"#,
        #"[{"op":"replace","path":"/list/-","value":1}]"#, #"[{"op":"remove","path":"/list/9"}]"#,
        #"[{"op":"move","from":"/list","path":"/list/0"}]"#, #"[{"op":"copy","from":"/no","path":"/a"}]"#,
        #"[{"op":"add","path":"a","value":1}]"#, #"[{"op":"add","path":"/a"}]"#, #"[{"op":"add","value":1}]"#,
        #"[{"op":"test","path":"/~2","value":1}]"#, #"[{"path":"/a"}]"#, #"[{"op":"x","path":"/a"}]"#, "{}",
        "[1]",
    ])
    func `A patch is rejected if it is malformed or can't be applied`(patch: String) {
        #expect(throws: JSONPatch.Failure.self) { try apply(patch, to: #"{"a":1,"list":[1]}"#) }
    }

    /// These are the results that Ory Kratos returns for the same patches.
    @Test(arguments: [
        ("{}", #"[{"op":"add","path":"/a/b","value":1}]"#, #"{"a":{"b":1}}"#),
        ("{}", #"[{"op":"add","path":"/a/b/c","value":1}]"#, #"{"a":{"b":{"c":1}}}"#),
        (#"{"a":null}"#, #"[{"op":"add","path":"/a/b","value":1}]"#, #"{"a":{"b":1}}"#),
        (#"{"a":null}"#, #"[{"op":"add","path":"/a/0","value":1}]"#, #"{"a":[1]}"#),
        ("{}", #"[{"op":"add","path":"/a/-","value":1}]"#, #"{"a":[1]}"#),
        ("{}", #"[{"op":"add","path":"/a/0/x","value":1}]"#, #"{"a":[{"x":1}]}"#),
        (#"{"a":[]}"#, #"[{"op":"add","path":"/a/0/0","value":1}]"#, #"{"a":[[1]]}"#),
        (#"{"a":[1]}"#, #"[{"op":"add","path":"/a/1/x","value":2}]"#, #"{"a":[1,{"x":2}]}"#),
        (#"{"b":1}"#, #"[{"op":"replace","path":"/a","value":2}]"#, #"{"b":1,"a":2}"#),
        ("{}", #"[{"op":"replace","path":"/a/b","value":1}]"#, #"{"a":{"b":1}}"#),
        (#"{"a":null}"#, #"[{"op":"replace","path":"/a/b","value":1}]"#, #"{"a":{"b":1}}"#),
        (#"{"a":[]}"#, #"[{"op":"replace","path":"/a/0/x","value":1}]"#, #"{"a":[{"x":1}]}"#),
        (#"{"a":{}}"#, #"[{"op":"add","path":"/a/","value":1}]"#, #"{"a":{"":1}}"#),
        (#"{"a":{}}"#, #"[{"op":"add","path":"/a/01","value":1}]"#, #"{"a":{"01":1}}"#),
    ])
    func `Missing parents are created as in Kratos`(document: String, patch: String, result: String)
        throws
    {
        #expect(try apply(patch, to: document) == result)
    }

    @Test(arguments: [
        (#"{"op":"test","path":"/a","value":1}"#, []), (#"{"op":"add","path":"/a","value":1}"#, ["/a"]),
        (#"{"op":"replace","path":"/a","value":1}"#, ["/a"]), (#"{"op":"remove","path":"/a"}"#, ["/a"]),
        (#"{"op":"copy","from":"/a","path":"/b"}"#, ["/b"]),
        (#"{"op":"move","from":"/a","path":"/b"}"#, ["/b", "/a"]),
    ])
    func `The list of written paths doesn't include paths that a patch only reads`(
        operation: String,
        written: [String]
    ) throws {
        let patch = try JSONPatch(try JSONParser.parse(Array("[\(operation)]".utf8)))

        #expect(patch.writtenPlaces == written.compactMap { JSONPointer($0) })
    }

    @Test func `A patch can't create a value that is nested more deeply than the parser allows`() throws {
        func patch(_ steps: Int, _ value: String) -> String {
            let path = String(repeating: "/a", count: steps)
            return #"[{"op":"add","path":"\#(path)","value":\#(value)}]"#
        }
        let deep = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)

        #expect(try apply(patch(12, deep), to: "{}").utf8.count > 60)
        #expect(throws: JSONPatch.Failure.self) { try apply(patch(13, deep), to: "{}") }
        #expect(throws: JSONPatch.Failure.self) { try apply(patch(100_000, "1"), to: "{}") }
    }

    @Test(arguments: [(4095, true), (4096, false)])
    func `Copied values can have at most 4096 bytes`(length: Int, isPossible: Bool) {
        let document = #"{"a":"\#(String(repeating: "x", count: length))"}"#
        let result = try? apply(#"[{"op":"copy","from":"/a","path":"/b"}]"#, to: document)
        #expect((result != nil) == isPossible)
    }

    @Test func `A patch is rejected if it copies too much or has too many operations`() {
        let doubling = #"{"op":"copy","from":"/a","path":"/a/-"}"#
        let many = "[" + Array(repeating: doubling, count: 60).joined(separator: ",") + "]"
        let more =
            "[" + Array(repeating: #"{"op":"test","path":"/b","value":1}"#, count: 101).joined(separator: ",")
            + "]"

        #expect(throws: JSONPatch.Failure.self) { try apply(many, to: #"{"a":[1]}"#) }
        #expect(throws: JSONPatch.Failure.self) { try apply(more, to: #"{"b":1}"#) }
    }
}
