import LatchkeyCore
import LatchkeyTestKit
import Testing

@Suite struct `Explored worlds` {
    private static let bounds =
        "processes=2,callers=3,asks=any,logins=5,opaqueLogins=2,signOuts=4,refreshes=any,"
        + "departures=any,amendments=3,crashes=4,losses=9,revocations=2,moods=9,overtakings=9"

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func `are read as they were written`(seed: UInt64) throws
    {
        let walk = try SessionWalk(200, within: ExplorerBounds(Self.bounds), seed: seed)

        for world in walk.worlds {
            #expect(
                ExploredWorld(canonical: world.canonical, budget: world.budget).canonical == world.canonical
            )
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `go on alike from what was read`(seed: UInt64) throws {
        let walk = try SessionWalk(120, within: ExplorerBounds(Self.bounds), seed: seed)

        for world in walk.worlds {
            let twin = ExploredWorld(canonical: world.canonical, budget: world.budget)
            let (one, other) = (try followers(of: twin), try followers(of: world))
            #expect(one == other)
        }
    }

    @Test func `are the same in whichever process things happen`() throws {
        let bounds = try ExplorerBounds("processes=2,callers=2,refreshes=1")
        let steps: [ExploredStep] = [
            .store(0), .hear(0), .accept(0, .pair), .admit(0), .store(0), .hear(0), .news(1), .expire(0),
        ]
        var (one, other) = (ExploredWorld(bounds), ExploredWorld(bounds))
        for step in steps {
            try one.apply(step) { $0.reduce($1) }
            try other.apply(step.mirrored) { $0.reduce($1) }
        }

        #expect(one != other)
        #expect(one.canonical == other.canonical)
    }

    @Test func `are the same whatever their logins are called`() throws {
        let bounds = try ExplorerBounds("processes=1,callers=0,logins=2")
        var (one, other) = (ExploredWorld(bounds), ExploredWorld(bounds))
        // The first of two logins is lost in one world.
        let steps: [ExploredStep] = [
            .store(0), .hear(0), .accept(0, .incomplete), .admit(0), .accept(0, .pair),
        ]
        for step in steps { try one.apply(step) { $0.reduce($1) } }
        for step in [ExploredStep.store(0), .hear(0), .accept(0, .pair)] {
            try other.apply(step) { $0.reduce($1) }
        }

        #expect(one.canonical == other.canonical)
    }

    // A new property must be written and read, or worlds that differ in it count as one.
    @Test func `know all properties of a machine`() {
        let known = [
            "status", "refresh", "epoch", "signOuts", "refreshReads", "generation", "pendingRemoval",
            "isRemoving", "replacing",
            "isUnsaved",
            "waiters",
        ]

        #expect(Mirror(reflecting: SessionMachine()).children.compactMap(\.label) == known)
    }

    private func followers(of world: ExploredWorld) throws -> Set<[UInt8]> {
        var followers: Set<[UInt8]> = []
        for step in world.steps {
            var after = world
            try after.apply(step) { $0.reduce($1) }
            followers.insert(after.canonical)
        }
        // The end of a login that nothing mentions is forgotten like the login.
        followers.remove(world.canonical)
        return followers
    }
}

extension ExploredStep {
    fileprivate var mirrored: ExploredStep {
        switch self {
        case .store(let app): .store(1 - app)
        case .hear(let app): .hear(1 - app)
        case .news(let app): .news(1 - app)
        case .accept(let app, let login): .accept(1 - app, login)
        case .admit(let app): .admit(1 - app)
        case .expire(let caller): .expire(1 - caller)
        default: self
        }
    }
}
