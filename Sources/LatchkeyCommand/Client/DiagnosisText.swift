import Latchkey
import LatchkeyWire

/// Formats a diagnosis as text or JSON.
enum DiagnosisText {
    /// Formats a diagnosis as text, including the last ten journal entries.
    ///
    /// Each line starts with a label. The `certificate` line is left out if there is no certificate, and the
    /// `clock` line if the clock difference is unknown. The diagnosed problems are left out.
    static func lines(for diagnosis: Diagnosis, explanation: SessionExplanation) -> [String] {
        var lines = ["storage      \(diagnosis.storage.level): \(diagnosis.storage.reason)"]
        lines.append("session      \(explanation.summary)")
        if let certificate = diagnosis.certificate {
            lines.append(
                "certificate  until \(Timestamp(certificate.notAfter)), renewed from \(Timestamp(certificate.renewalDate))"
            )
        }
        switch diagnosis.server {
        case .failure(let error): lines.append("server       \(error.message)")
        case .success(let server):
            let version = server.version.map { "version \($0)" } ?? "version unknown"
            let contract = server.contract.map { ", contract \($0)" } ?? ""
            lines.append(
                "server       \(version)\(contract), responded in \(milliseconds(server.answerTime)) ms"
            )
            if let ahead = server.clockAhead {
                let side = ahead < .zero ? "behind" : "ahead of"
                lines.append("clock        \(abs(milliseconds(ahead))) ms \(side) the server's")
            }
        }
        for entry in explanation.entries.suffix(10) { lines.append("journal      \(entry)") }
        return lines
    }

    /// Formats a diagnosis as JSON.
    ///
    /// The result includes all problems and all journal entries. The `certificate` member is left out if
    /// there is no certificate.
    static func json(for diagnosis: Diagnosis, explanation: SessionExplanation) -> JSONValue {
        var members: [String: JSONValue] = [
            "storage": .object([
                "level": .string(diagnosis.storage.level.rawValue),
                "reason": .string(diagnosis.storage.reason),
                "erasure_pending": .bool(diagnosis.storage.isErasurePending),
            ]),
            "session": .object([
                "signed_in": .bool(diagnosis.session.session != nil), "why": .string(explanation.summary),
            ]),
            "journal": .array(explanation.entries.map { .string($0.description) }),
            "problems": .array(diagnosis.problems.map { .string($0) }),
        ]
        members["certificate"] = diagnosis.certificate.map { certificate in
            .object([
                "not_after": .string(Timestamp(certificate.notAfter).description),
                "renewed_from": .string(Timestamp(certificate.renewalDate).description),
            ])
        }
        members["server"] = .object(serverMembers(diagnosis.server))
        return .object(members)
    }

    /// Returns the members of the `server` object.
    ///
    /// Times are in milliseconds.
    ///
    /// The object contains `error` if the request failed. If the request succeeded, the object contains
    /// `answer_ms` and, if they are known, `version`, `contract` and `clock_ahead_ms`.
    private static func serverMembers(_ server: Result<Diagnosis.Server, LatchkeyError>) -> [String:
        JSONValue]
    {
        switch server {
        case .failure(let error): return ["error": .string(error.message)]
        case .success(let server):
            var members: [String: JSONValue] = ["answer_ms": .integer(milliseconds(server.answerTime))]
            members["version"] = server.version.map { .string($0) }
            members["contract"] = server.contract.map { .integer($0) }
            members["clock_ahead_ms"] = server.clockAhead.map { .integer(milliseconds($0)) }
            return members
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        Int64((duration / .milliseconds(1)).rounded())
    }
}
