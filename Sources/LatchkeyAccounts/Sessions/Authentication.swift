package import LatchkeyModel
package import LatchkeyServerKit

/// A method with which the user of a session has authenticated.
package struct Authentication: Hashable, Sendable {
    package let method: AuthenticationMethod
    package let completedAt: Timestamp

    package init(_ method: AuthenticationMethod, at completedAt: Timestamp) {
        self.method = method
        self.completedAt = completedAt
    }
}

extension [Authentication] {
    /// The assurance level, which is `aal2` if the user has authenticated with a first and a second factor.
    package var level: AssuranceLevel {
        contains { $0.method.level == .aal1 } && contains { $0.method.level == .aal2 } ? .aal2 : .aal1
    }

    /// The values of the `amr` claim, in the order of the first authentications.
    package var references: [String] {
        let all = map(\.method.reference) + (level == .aal2 ? ["mfa"] : [])
        return all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns the authentications that belong to the latest one, because they were completed less than the
    /// given time before it.
    ///
    /// Tokens only name these: their `auth_time` is that of the latest authentication.
    package func latest(within age: Duration) -> [Authentication] {
        guard let latest = last else { return [] }
        return filter { $0.completedAt + age > latest.completedAt }
    }

    /// Returns the list after another authentication.
    ///
    /// There is one entry for each method, so that the list doesn't grow with each re-authentication. The
    /// latest entry comes last.
    package func adding(_ authentication: Authentication) -> [Authentication] {
        filter { $0.method.name != authentication.method.name } + [authentication]
    }

    /// The stored form, which has a line with the name, the reference, the level and the time for each
    /// authentication.
    ///
    /// It contains everything that is known about the methods, so that a server can read the sessions of
    /// methods that it doesn't have.
    package var text: String {
        map { authentication in
            let method = authentication.method
            return "\(method.name) \(method.reference) \(method.level.rawValue) "
                + String(authentication.completedAt.microseconds)
        }.joined(separator: "\n")
    }

    /// Parses the stored form.
    ///
    /// - Throws: ``DatabaseError`` if the text isn't in the form of ``text``, or is empty.
    package init(text: String) throws(DatabaseError) {
        if let known = Self.known(text) {
            self = [known]
            return
        }
        self = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard
                words.count == 4, let level = AssuranceLevel(rawValue: words[2]), let time = Int64(words[3])
            else { throw Self.mismatch }
            let method = AuthenticationMethod(stored: words[0], reference: words[1], level: level)
            append(Authentication(method, at: Timestamp(microseconds: time)))
        }
        if isEmpty { throw Self.mismatch }
    }

    /// The methods of nearly all sessions, and their stored forms without the time.
    private static let common: [(method: AuthenticationMethod, prefix: [UInt8])] = {
        let methods: [AuthenticationMethod] = [.password, .code, .codeRecovery]
        return methods.map { method in
            let prefix = "\(method.name) \(method.reference) \(method.level.rawValue) "
            return (method, Array<UInt8>(prefix.utf8))
        }
    }()

    /// Parses the stored form of a single authentication by a common method without creating strings, because
    /// every request reads a session.
    private static func known(_ text: String) -> Authentication? {
        text.utf8.withContiguousStorageIfAvailable { utf8 in
            for (method, prefix) in common where utf8.starts(with: prefix) {
                // Eighteen digits can't overflow.
                let digits = utf8[prefix.count...]
                guard (1...18).contains(digits.count) else { return nil }
                var microseconds: Int64 = 0
                for digit in digits {
                    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                    microseconds = microseconds * 10 + Int64(digit - UInt8(ascii: "0"))
                }
                return Authentication(method, at: Timestamp(microseconds: microseconds))
            }
            return nil
        } ?? nil
    }

    private static var mismatch: DatabaseError {
        DatabaseError(.mismatch, message: "A session has an unknown list of authentications.")
    }
}
