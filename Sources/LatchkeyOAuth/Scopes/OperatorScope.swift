public import LatchkeyCourier
import LatchkeyServerKit

/// A scope of one of the operator's own APIs.
public struct OperatorScope: Hashable, Sendable {
    /// The name that clients request.
    public let name: String
    /// The sentences that tell users what they share, of which the English one is always present.
    public let descriptions: [Language: String]
    /// The audience (`aud`) of access tokens with this scope, such as the URL of the API.
    public let audience: String

    /// Creates a scope.
    ///
    /// Returns `nil` if the name can't be used, there is no description in English, or a text is empty.
    ///
    /// - Parameters:
    ///   - name: The name, which consists of printable ASCII characters except `"` and `\` (RFC 6749, section
    ///     3.3). The server's own scopes can't be replaced.
    ///   - descriptions: The sentences that tell users what they share.
    ///   - audience: The audience of access tokens with this scope.
    public init?(_ name: String, descriptions: [Language: String], audience: String) {
        guard
            Self.refusal(ofName: name) == nil, descriptions[.english] != nil,
            descriptions.values.allSatisfy({ !$0.isEmpty }), !audience.isEmpty
        else { return nil }
        self.name = name
        self.descriptions = descriptions
        self.audience = audience
    }

    /// Returns why a scope can't have a name, as the end of a sentence, or `nil` if it can.
    static func refusal(ofName name: String) -> String? {
        let isToken = name.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard !name.isEmpty, isToken else { return "which isn't the name of a scope (RFC 6749, section 3.3)" }
        if StandardScope(rawValue: name) != nil { return "which is built in" }
        // A client with such a scope could open this server's own routes.
        if AccessScope(rawValue: name) != nil { return "which is reserved for the server's own routes" }
        return nil
    }
}
