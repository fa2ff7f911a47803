import LatchkeyServerKit

extension OrderedJSON {
    /// Returns the members of an object, without those whose value is null.
    ///
    /// No member of an administrative request is ignored, so a misspelled member doesn't go unnoticed.
    ///
    /// - Parameters:
    ///   - known: The names of the members that the object may have.
    ///   - place: The JSON Pointer of the object, or an empty string for the body of the request.
    /// - Returns: The members, in order.
    /// - Throws: ``ServerError`` with status 400 if the value isn't an object or has another member.
    func members(
        among known: Set<String>,
        at place: String = ""
    ) throws(ServerError) -> [OrderedJSON.Member] {
        let object = place.isEmpty ? "body" : "member \(place)"
        guard case .object(let members) = self else {
            throw .malformed("The \(object) must be a JSON object.")
        }
        if let other = members.first(where: { !known.contains($0.name) }) {
            throw .malformed("The \(object) has an unknown member “\(other.name)”.")
        }
        return members.filter { $0.value != .null }
    }
}

extension OrderedJSON.Member {
    /// The value of a string member.
    ///
    /// - Throws: ``ServerError`` with status 400 if the value is anything else.
    var text: String {
        get throws(ServerError) {
            guard case .string(let text) = value else {
                throw .malformed("The member \(name) must be a string.")
            }
            return text
        }
    }

    /// The value of a Boolean member.
    ///
    /// - Throws: ``ServerError`` with status 400 if the value is anything else.
    var bool: Bool {
        get throws(ServerError) {
            guard case .bool(let value) = value else {
                throw .malformed("The member \(name) must be true or false.")
            }
            return value
        }
    }
}
