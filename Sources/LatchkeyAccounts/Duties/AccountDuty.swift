import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyWire

/// A step that a user has to take, and the form fields that it asks for.
package struct AccountDuty: Hashable, Sendable {
    package let kind: Duty.Kind
    /// The names of the form fields that are missing or invalid, such as `traits.birthday`, sorted.
    package private(set) var fields: [String]
    /// Whether the account's requests are refused until the user has taken the step.
    package private(set) var isBlocking: Bool

    package init(_ kind: Duty.Kind, fields: [String] = [], isBlocking: Bool = false) {
        (self.kind, self.fields, self.isBlocking) = (kind, fields.sorted(), isBlocking)
    }

    /// Adds the fields of another duty of the same kind.
    mutating func add(_ other: AccountDuty) {
        fields = Set(fields + other.fields).sorted()
        isBlocking = isBlocking || other.isBlocking
    }
}

extension [AccountDuty] {
    /// Adds a duty, or extends the one of the same kind.
    ///
    /// The list keeps its order, in which terms come before fields, because users decide on the terms first.
    mutating func add(_ duty: AccountDuty) {
        if let index = firstIndex(where: { $0.kind == duty.kind }) {
            self[index].add(duty)
        } else {
            append(duty)
        }
    }
}

extension [AccountDuty] {
    /// A number that differs for different duties, and is 0 if there are none.
    var fingerprint: Int64 {
        guard !isEmpty else { return 0 }
        var writer = JSONWriter()
        writer.object { $0.write(self) }
        return SHA256.hash(writer.bytes).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}

extension JSONWriter {
    /// Writes the member `duties`, or leaves it out if there are none.
    package mutating func write(_ duties: [AccountDuty]) {
        guard !duties.isEmpty else { return }
        name("duties")
        value(duties)
    }

    /// Writes a list of duties, which may be empty.
    mutating func value(_ duties: [AccountDuty]) {
        array { writer in
            for duty in duties {
                writer.object { writer in
                    writer.name("kind")
                    writer.string(duty.kind.rawValue)
                    writer.name("blocking")
                    writer.bool(duty.isBlocking)
                    writer.name("fields")
                    writer.array { writer in for name in duty.fields { writer.string(name) } }
                }
            }
        }
    }
}
