import Foundation
import LatchkeyWire
import Testing

/// An exchange with Ory Kratos as it was recorded on the wire, with masked strings.
struct RecordedExchange: Decodable {
    struct Request: Decodable {
        var method: String
        var path: String
        var query: [String: String]?
        var headers: [String: String]?
        var body: JSONValue?
    }

    struct Answer: Decodable {
        var status: Int
        var headers: [String: String]
        var body: JSONValue
    }

    var request: Request
    var answer: Answer

    /// Returns the exchanges in a file, in order.
    static func load(_ name: String) throws -> [RecordedExchange] {
        let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        let file = folder.appending(path: "recorded").appending(path: name + ".json")
        return try JSONDecoder().decode([RecordedExchange].self, from: Data(contentsOf: file))
    }
}
