import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeySelfService

@Suite struct `Publications of terms` {
    static let words = #"{"language": "en", "text": "Be kind."}"#
    static let first = #"{"number": 1, "asks": "acceptance", "texts": [\#(words)]}"#

    /// Returns a document as JSON, with some of its members replaced or, if they are empty, left out.
    static func document(_ changes: [String: String] = [:]) -> String {
        let members = [
            "key": #""shop""#, "kind": #""terms""#, "default_language": #""en""#,
            "titles": #"{"en": "Terms"}"#, "versions": "[\(first)]",
        ].merging(changes) { _, new in new }.filter { !$0.value.isEmpty }
        return "{" + members.map { #""\#($0.key)": \#($0.value)"# }.joined(separator: ", ") + "}"
    }

    static func version(_ changes: [String: String]) -> String {
        let members = ["number": "1", "asks": #""acceptance""#, "texts": "[\(words)]"]
            .merging(changes) { _, new in new }.filter { !$0.value.isEmpty }
        return "{" + members.map { #""\#($0.key)": \#($0.value)"# }.joined(separator: ", ") + "}"
    }

    static func text(_ json: String) -> String {
        document(["versions": "[\(version(["texts": "[\(json)]"]))]"])
    }

    static func publication(_ documents: String...) throws -> Publication {
        try Publication(try JSONParser.parse(Array("[\(documents.joined(separator: ","))]".utf8)))
    }

    /// Returns the mistakes in a list of documents.
    private func problems(in documents: String) throws -> [String] {
        let json = try JSONParser.parse(Array(documents.utf8))
        do throws(PublicationError) {
            _ = try Publication(json)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    /// Documents, and the mistake in them.
    static let mistaken: [(String, String)] = [
        ("null", "documents must be a list of 1 to 100 documents"),
        ("{}", "documents must be a list of 1 to 100 documents"),
        ("[]", "documents must be a list of 1 to 100 documents"),
        ("[1]", "documents[0]: a document must be an object"),
        (
            "[\(document(["key": ""]))]",
            "documents[0]: key must have 1 to 64 lowercase letters, digits and hyphens"
        ),
        (
            "[\(document(["key": #""Shop""#]))]",
            "documents[0]: key must have 1 to 64 lowercase letters, digits and hyphens"
        ),
        ("[\(document()), \(document())]", "shop: the document occurs twice"),
        ("[\(document(["kind": ""]))]", "shop: kind must be one of terms, privacy"),
        ("[\(document(["kind": #""law""#]))]", "shop: kind must be one of terms, privacy"),
        (
            "[\(document(["client_id": "1"]))]",
            "shop: client_id must be the id of a client, or null for a document of the operator"
        ),
        (
            "[\(document(["client_id": #""a b""#]))]",
            "shop: client_id must be the id of a client, or null for a document of the operator"
        ),
        (
            "[\(document(["default_language": ""]))]",
            "shop: default_language must be a lowercase language tag such as en"
        ),
        (
            "[\(document(["default_language": #""EN""#]))]",
            "shop: default_language must be a lowercase language tag such as en"
        ),
        (
            "[\(document(["titles": ""]))]",
            #"shop: titles must be an object with a title for each language, such as {"en": "Terms"}"#
        ),
        (
            "[\(document(["titles": "{}"]))]",
            #"shop: titles must be an object with a title for each language, such as {"en": "Terms"}"#
        ),
        (
            "[\(document(["titles": #"{"nb": "Vilkår"}"#]))]",
            "shop: titles has no title in the default language en"
        ),
        (
            "[\(document(["titles": #"{"en": "T", "Nb": "V"}"#]))]",
            "shop: titles must have lowercase language tags such as en"
        ),
        (
            "[\(document(["titles": #"{"en": "T", "nb": ""}"#]))]",
            "shop/titles/nb: a title must be a line of 1 to 200 bytes without control characters"
        ),
        (
            "[\(document(["titles": #"{"en": "T", "nb": "a\nb"}"#]))]",
            "shop/titles/nb: a title must be a line of 1 to 200 bytes without control characters"
        ),
        (
            "[\(document(["titles": #"{"en": "T", "nb": "a\#u{202E}b"}"#]))]",
            "shop/titles/nb: a title must be a line of 1 to 200 bytes without control characters"
        ),
        ("[\(document(["name": "1"]))]", "shop: there is an unknown member name"),
        ("[\(document(["\\u202e": "1"]))]", "shop: there is an unknown member"),
        ("[\(document(["versions": ""]))]", "shop: versions must be a list of at most 200 versions"),
        ("[\(document(["versions": "[3]"]))]", "shop/versions[0]: a version must be an object"),
        (
            "[\(document(["versions": "[\(version(["number": "0"]))]"]))]",
            "shop/versions[0]: number must be a whole number from 1 to 1000000"
        ),
        (
            "[\(document(["versions": "[\(version(["number": "1.5"]))]"]))]",
            "shop/versions[0]: number must be a whole number from 1 to 1000000"
        ),
        (
            "[\(document(["versions": "[\(version(["number": #""1""#]))]"]))]",
            "shop/versions[0]: number must be a whole number from 1 to 1000000"
        ),
        ("[\(document(["versions": "[\(first), \(first)]"]))]", "shop/1: the version occurs twice"),
        (
            "[\(document(["versions": "[\(version(["asks": ""]))]"]))]",
            "shop/1: asks must be one of acceptance, acknowledgement, nothing"
        ),
        (
            "[\(document(["versions": "[\(version(["effective_at": #""2027-01-01""#]))]"]))]",
            "shop/1: effective_at must be a time such as 2027-01-01T00:00:00Z, or null for the time of publication"
        ),
        (
            "[\(document(["versions": "[\(version(["effective_at": "1"]))]"]))]",
            "shop/1: effective_at must be a time such as 2027-01-01T00:00:00Z, or null for the time of publication"
        ),
        (
            "[\(document(["versions": "[\(version(["since": "1"]))]"]))]",
            "shop/1: there is an unknown member since"
        ),
        (
            "[\(document(["versions": "[\(version(["texts": ""]))]"]))]",
            "shop/1: texts must be a list of 1 to 32 texts"
        ),
        (
            "[\(document(["versions": "[\(version(["texts": "[]"]))]"]))]",
            "shop/1: texts must be a list of 1 to 32 texts"
        ),
        ("[\(text("1"))]", "shop/1/texts[0]: a text must be an object"),
        (
            "[\(text(#"{"text": "x"}"#))]",
            "shop/1/texts[0]: language must be a lowercase language tag such as en"
        ),
        ("[\(text("\(words), \(words)"))]", "shop/1/en: the language occurs twice"),
        (
            "[\(text(#"{"language": "nb", "text": "x"}"#))]",
            "shop/1: there is no text in the default language en"
        ),
        ("[\(text(#"{"language": "en", "text": 1}"#))]", "shop/1/en: text must be a string"),
        ("[\(text(#"{"language": "en", "text": " \n"}"#))]", "shop/1/en: text is empty"),
        (
            "[\(text(#"{"language": "en", "text": "\uFEFFx"}"#))]",
            "shop/1/en: text must not begin with a byte-order mark"
        ),
        (
            "[\(text(#"{"language": "en", "text": "a\u001bb"}"#))]",
            "shop/1/en: text contains a control character"
        ),
        (
            "[\(text(#"{"language": "en", "text": "x", "summary": 1}"#))]",
            "shop/1/en: summary must be a string"
        ),
        (
            "[\(text(#"{"language": "en", "text": "x", "sumary": "x"}"#))]",
            "shop/1/en: there is an unknown member sumary"
        ),
        (
            "[\(text(#"{"language": "en", "text": "\#(String(repeating: "x", count: 524_289))"}"#))]",
            "shop/1/en: text is longer than 524288 bytes"
        ),
    ]

    @Test(arguments: mistaken.indices) func `A mistake is reported with its place`(_ index: Int) throws {
        let (documents, mistake) = Self.mistaken[index]
        let found = try problems(in: documents)
        #expect(found.contains(mistake), "\(found)")
    }

    @Test func `All mistakes are reported together`() throws {
        let bad = Self.document(["kind": "1", "versions": "[\(Self.version(["asks": "1"]))]"])
        #expect(
            try problems(in: "[\(bad), 1]") == [
                "shop: kind must be one of terms, privacy",
                "shop/1: asks must be one of acceptance, acknowledgement, nothing",
                "documents[1]: a document must be an object",
            ]
        )
    }

    @Test func `The bytes of a text are those of the publication`() throws {
        let json = #"{"language": "en", "text": "a\r\n\tA\u030A Å\n", "summary": "Å"}"#
        let text = try #require(
            try Self.publication(Self.text(json)).documents.first?.versions.first?.texts.first
        )
        let expected = Array("a\r\n\tA\u{30A} Å\n".utf8)
        #expect(text.bytes == expected && text.hash == SHA256Hash.hash(expected) && text.summary == "Å")
    }

    @Test func `Versions are sorted by number, and texts by language`() throws {
        let texts = #"[{"language": "nb", "text": "n"}, {"language": "en", "text": "e"}]"#
        let document = Self.document([
            "client_id": #""shop-app""#,
            "versions":
                "[\(Self.version(["number": "3", "texts": texts])), \(Self.version(["effective_at": #""2027-01-01T01:00:00+01:00""#]))]",
        ])
        let read = try #require(try Self.publication(document).documents.first)
        #expect(read.clientID == "shop-app" && read.versions.map(\.number) == [1, 3])
        #expect(read.versions[0].effectiveAt == Timestamp(rfc3339: "2027-01-01T00:00:00Z"))
        #expect(read.versions[1].effectiveAt == nil)
        #expect(read.versions[1].texts.map(\.language) == ["en", "nb"])
    }
}
