import LatchkeyCore

/// Identifies a kind of event by its case and by how the event relates to the state of the machine.
struct SessionEventKind: Hashable, Comparable {
    /// The names of all events, in the order in which the table lists them.
    static let names = [
        "started", "changed", "read", "asked", "cancelled", "locked", "answered", "amended", "saved",
        "saveFailed",
        "loginSucceeded",
        "replaced", "replaceFailed", "signedOut", "ended", "removed", "removalFailed",
    ]

    /// The event's case, which is one of ``names``.
    let name: String
    /// How the event relates to the state machine, such as "from an earlier epoch".
    ///
    /// The text is empty if `name` is enough to describe the event.
    let detail: String

    /// Classifies an event.
    ///
    /// - Parameters:
    ///   - event: The event to classify.
    ///   - machine: The state machine before the event.
    init(_ event: SessionMachine.Event, in machine: SessionMachine) {
        func past(_ epoch: UInt32, detail: String) -> String {
            epoch == machine.epoch ? detail : "from an earlier epoch"
        }
        func late(_ signOuts: UInt32, detail: String) -> String {
            signOuts == machine.signOuts ? detail : "from before a sign-out"
        }
        (name, detail) =
            switch event {
            case .started: ("started", "")
            case .changed: ("changed", "")
            case .read(let reading, let epoch, let refreshRead):
                ("read", past(epoch, detail: Self.detail(of: reading, refreshRead: refreshRead, in: machine)))
            case .asked(_, let need): ("asked", Self.detail(of: need, in: machine))
            case .cancelled: ("cancelled", "")
            case .locked: ("locked", "")
            case .answered(let answer, let handle):
                ("answered", Self.detail(of: answer, to: handle, in: machine))
            case .amended(let old, _):
                ("amended", machine.held == old ? "the current session" : "another session")
            case .saved(let handle, _, let epoch):
                ("saved", past(epoch, detail: Self.detail(of: handle, in: machine)))
            case .saveFailed(let handle, let code, let epoch):
                (
                    "saveFailed",
                    past(
                        epoch,
                        detail: Self.detail(of: handle, in: machine)
                            + (code == .conflict ? ", the record has changed" : "")
                    )
                )
            case .loginSucceeded(_, let handle, let signOuts):
                ("loginSucceeded", late(signOuts, detail: handle.isComplete ? "" : "without a certificate"))
            case .replaced(_, _, _, let signOuts): ("replaced", late(signOuts, detail: ""))
            case .replaceFailed(_, _, let signOuts): ("replaceFailed", late(signOuts, detail: ""))
            case .signedOut: ("signedOut", "")
            case .ended(let handle):
                ("ended", machine.held?.login == handle.login ? "the current login" : "another login")
            case .removed(let epoch): ("removed", past(epoch, detail: ""))
            case .removalFailed: ("removalFailed", "")
            }
    }

    /// Orders events by ``names``, then by their details.
    static func < (left: SessionEventKind, right: SessionEventKind) -> Bool {
        let positions = (names.firstIndex(of: left.name) ?? 0, names.firstIndex(of: right.name) ?? 0)
        return positions.0 == positions.1 ? left.detail < right.detail : positions.0 < positions.1
    }

    private static func detail(
        of reading: SessionMachine.Reading,
        refreshRead: UInt32?,
        in machine: SessionMachine
    ) -> String {
        let found =
            switch reading {
            case .absent: "absent"
            case .unavailable: "unavailable"
            case .present(let handle, _) where !handle.isComplete: "a login without a certificate"
            case .present(let handle, _) where handle == machine.held: "the current session"
            case .present(let handle, _) where handle.login == machine.held?.login:
                "another version of the current session"
            case .present: machine.held == nil ? "a login" : "another login"
            }
        guard let refreshRead else { return found }
        let isCurrent = machine.refresh == .reading && refreshRead == machine.refreshReads
        return found + (isCurrent ? ", for the refresh" : ", for an earlier refresh")
    }

    /// Returns how a request relates to the current session, based on login and version.
    private static func detail(of need: SessionMachine.Need, in machine: SessionMachine) -> String {
        guard case .fresher(let known) = need else { return "for any credentials" }
        if known.login != machine.held?.login { return "for credentials newer than another login's" }
        return known.version == machine.held?.version
            ? "for credentials newer than the current ones" : "for credentials newer than a replaced version"
    }

    private static func detail(
        of answer: SessionMachine.Answer,
        to handle: SessionHandle,
        in machine: SessionMachine
    ) -> String {
        let answerName =
            switch answer {
            case .granted: "granted"
            case .refused: "refused"
            case .stale: "stale"
            case .failed: "failed"
            }
        guard case .asking(let asked, let basis) = machine.refresh, asked == handle else {
            return answerName + ", to an earlier request"
        }
        return answerName + (basis == machine.generation ? "" : ", the record has changed")
    }

    /// Returns the origin of a saved session: the refresh in progress, another change, or another login.
    private static func detail(of handle: SessionHandle, in machine: SessionMachine) -> String {
        if machine.refresh == .saving(handle) { return "the result of the refresh" }
        return machine.held?.login == handle.login ? "a changed session" : "of another login"
    }
}
