import LatchkeyCore

/// An event without names and numbers: its case, and its relation to the state machine that receives it.
struct SessionEventKind: Hashable, Comparable {
    static let names = [
        "started", "changed", "read", "asked", "cancelled", "locked", "answered", "amended", "saved",
        "saveFailed",
        "loginSucceeded",
        "replaced", "replaceFailed", "signedOut", "ended", "removed", "removalFailed",
    ]

    let name: String
    let detail: String

    /// Classifies an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - machine: The state machine before the event.
    init(_ event: SessionMachine.Event, in machine: SessionMachine) {
        func past(_ epoch: UInt32, _ detail: String) -> String {
            epoch == machine.epoch ? detail : "from an earlier epoch"
        }
        func late(_ signOuts: UInt32, _ detail: String) -> String {
            signOuts == machine.signOuts ? detail : "from before a sign-out"
        }
        (name, detail) =
            switch event {
            case .started: ("started", "")
            case .changed: ("changed", "")
            case .read(let reading, let epoch, let look):
                ("read", past(epoch, Self.detail(of: reading, look, machine)))
            case .asked(_, let need): ("asked", Self.detail(of: need, machine))
            case .cancelled: ("cancelled", "")
            case .locked: ("locked", "")
            case .answered(let answer, let handle): ("answered", Self.detail(of: answer, handle, machine))
            case .amended(let old, _):
                ("amended", machine.held == old ? "what is held" : "what is not held any more")
            case .saved(let handle, _, let epoch): ("saved", past(epoch, Self.detail(of: handle, machine)))
            case .saveFailed(let handle, let code, let epoch):
                (
                    "saveFailed",
                    past(
                        epoch,
                        Self.detail(of: handle, machine)
                            + (code == .conflict ? ", the record has moved on" : "")
                    )
                )
            case .loginSucceeded(_, let handle, let signOuts):
                ("loginSucceeded", late(signOuts, handle.isComplete ? "" : "without a certificate"))
            case .replaced(_, _, _, let signOuts): ("replaced", late(signOuts, ""))
            case .replaceFailed(_, _, let signOuts): ("replaceFailed", late(signOuts, ""))
            case .signedOut: ("signedOut", "")
            case .ended(let handle):
                ("ended", machine.held?.login == handle.login ? "the login that is held" : "another login")
            case .removed(let epoch): ("removed", past(epoch, ""))
            case .removalFailed: ("removalFailed", "")
            }
    }

    static func < (left: SessionEventKind, right: SessionEventKind) -> Bool {
        let places = (names.firstIndex(of: left.name) ?? 0, names.firstIndex(of: right.name) ?? 0)
        return places.0 == places.1 ? left.detail < right.detail : places.0 < places.1
    }

    private static func detail(
        of reading: SessionMachine.Reading,
        _ look: UInt32?,
        _ machine: SessionMachine
    ) -> String {
        let found =
            switch reading {
            case .absent: "absent"
            case .unavailable: "unavailable"
            case .present(let handle, _) where !handle.isComplete: "a login without a certificate"
            case .present(let handle, _) where handle == machine.held: "what is held"
            case .present(let handle, _) where handle.login == machine.held?.login:
                "another form of what is held"
            case .present: machine.held == nil ? "a login" : "another login"
            }
        guard let look else { return found }
        let isCurrent = machine.refresh == .reading && look == machine.refreshReads
        return found + (isCurrent ? ", for the refresh" : ", for an earlier refresh")
    }

    private static func detail(of need: SessionMachine.Need, _ machine: SessionMachine) -> String {
        guard case .fresher(let known) = need else { return "for what there is" }
        if known.login != machine.held?.login { return "for fresher than another login" }
        return known.version == machine.held?.version
            ? "for fresher than what is held" : "for fresher than before"
    }

    private static func detail(
        of answer: SessionMachine.Answer,
        _ handle: SessionHandle,
        _ machine: SessionMachine
    ) -> String {
        let what =
            switch answer {
            case .granted: "granted"
            case .refused: "refused"
            case .stale: "stale"
            case .failed: "failed"
            }
        guard case .asking(let asked, let basis) = machine.refresh, asked == handle else {
            return what + ", to an earlier question"
        }
        return what + (basis == machine.generation ? "" : ", the record has moved on")
    }

    private static func detail(of handle: SessionHandle, _ machine: SessionMachine) -> String {
        if machine.refresh == .saving(handle) { return "what the refresh brought" }
        return machine.held?.login == handle.login ? "an amendment" : "of a login that is not held any more"
    }
}
