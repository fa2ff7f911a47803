import LatchkeyServerKit
import LatchkeyWire
import Testing

@Suite("Limits on the text in requests") struct BoundedTextTests {
    /// Returns combining marks that alternate between two classes, so that they must be sorted before strings
    /// can be compared.
    static func marks(_ count: Int) -> String {
        String(repeating: "\u{301}\u{316}", count: count / 2) + (count.isMultiple(of: 2) ? "" : "\u{301}")
    }

    @Test(arguments: [
        (0, true), (1, true), (30, true), (31, false), (32, false), (16_000, false),
    ]) func `At most 30 consecutive combining marks are allowed`(_ count: Int, _ isAccepted: Bool) {
        for text in [Self.marks(count), "a" + Self.marks(count), "é" + Self.marks(count) + "b"] {
            #expect(CombiningMarks.areFew(in: text) == isAccepted)
        }
    }

    @Test(arguments: [
        "", "plain", String(repeating: "e\u{301}", count: 2000), String(repeating: "å", count: 2000),
        String(repeating: "👩\u{200D}👩\u{200D}👧", count: 500), String(repeating: "क्षि", count: 500),
        String(repeating: "xx\u{301}\u{316}", count: 500),
    ]) func `A long text can contain many combining marks`(_ text: String) {
        #expect(CombiningMarks.areFew(in: text))
    }

    private func problem(_ text: String, from origin: JSONParser.Origin = .request) -> JSONParser.Failure
        .Problem?
    {
        do throws(JSONParser.Failure) {
            _ = try JSONParser.parse(Array(text.utf8), from: origin)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test func `JSON with too many combining marks is rejected before strings are compared`() {
        let marks = Self.marks(31)
        for text in ["\"\(marks)\"", "{\"a\": \"\(marks)\"}", "[\"\(marks)\"]", "{\"\(marks)\": 1}"] {
            #expect(problem(text) == .combiningMarks)
            #expect(problem(text, from: .storage) == nil)
        }
        #expect(problem(#""a\u0301\u0316\u0301""#) == nil)
        #expect(problem("\"a" + String(repeating: #"\u0301"#, count: 31) + "\"") == .combiningMarks)
    }

    @Test func `Member names can have at most 128 bytes`() {
        for (length, expected) in [(128, nil), (129, .longName), (20_000, .longName)]
            as [(Int, JSONParser.Failure.Problem?)]
        {
            let text = "{\"" + String(repeating: "n", count: length) + "\": 1}"
            #expect(problem(text) == expected)
            #expect(problem(text, from: .storage) == nil)
        }
    }

    @Test func `Strings are compared byte by byte`() throws {
        // The two strings in each pair are canonically equivalent.
        for (left, right) in [("é", "e\u{301}"), ("a\u{301}\u{316}", "a\u{316}\u{301}")] {
            #expect(left == right)
            let few = try JSONParser.parse(Array("{\"\(left)\": 1, \"\(right)\": 2}".utf8))
            #expect(few[left] == .integer(1))
            #expect(few[right] == .integer(2))
            let others = (0..<20).map { "\"n\($0)\": 0" }.joined(separator: ",")
            let many = try JSONParser.parse(Array("{\(others), \"\(left)\": 1, \"\(right)\": 2}".utf8))
            #expect(many[right] == .integer(2))
            #expect(OrderedJSON.string(left) != .string(right))
            #expect(QueryItems("\(left)=1&\(right)=2")[right] == "2")
        }
    }

    @Test(arguments: [
        ("method", #"The body contains the member "method" more than once."#),
        ("traits.email", #"The body contains the member "traits.email" more than once."#),
        ("a@b.cc", "The body contains a member more than once."),
        ("{reason}", "The body contains a member more than once."),
        (String(repeating: "n", count: 65), "The body contains a member more than once."),
    ]) func `A duplicate name is only quoted if it is a plain name`(
        _ name: String,
        _ refusal: String
    ) {
        let failure = #expect(throws: JSONParser.Failure.self) {
            try JSONParser.parse(Array("{\"\(name)\": 1, \"\(name)\": 2}".utf8))
        }
        #expect(failure?.refusal == refusal)
    }
}
