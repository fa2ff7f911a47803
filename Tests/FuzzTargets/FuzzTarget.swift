/// A parser of untrusted input, and the rules that must hold for any input.
package struct FuzzTarget: Sendable {
    /// The name used by `scripts/fuzz`.
    ///
    /// The folder that contains the corpus has the same name.
    package let name: String

    /// A one-sentence description of the target.
    package let summary: String

    /// Words that a fuzzer would not find on its own.
    package let words: [String]

    /// Checks one input.
    ///
    /// Throws ``BrokenRule`` if a rule does not hold.
    package let check: @Sendable ([UInt8]) throws -> Void

    /// All fuzz targets.
    package static let all = [
        requests, wire, schemas, configuration, signingRequests, proofs, templates, json,
        forwarded, flowReplies, catalog, events, clients, authorization, credentials,
    ]

    /// Returns the target with the given name.
    package static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}
