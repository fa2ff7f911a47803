import LatchkeyWire

/// Applies the limit on combining marks to incoming requests.
extension CombiningMarks {
    /// Returns whether the query and header fields of a request stay within the limit.
    static func areFew(in context: RequestContext) -> Bool {
        context.query.texts.allSatisfy(areFew)
            && context.request.headers.fields.allSatisfy { areFew(in: $0.value) && areFew(in: $0.name) }
    }
}
