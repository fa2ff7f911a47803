import LatchkeyTestKit
import OnsideKit
import OnsideSampleDefaultMainActor
import OnsideSampleSwift5
import OnsideSampleSwift6
import TestStore
import Testing

/// The three sample apps.
///
/// Each sample is compiled in a different way.
enum Sample: CaseIterable, Sendable {
    case swift6, swift5, defaultMainActor

    @MainActor func app() -> SampleApp {
        switch self {
        case .swift6:
            let (screen, store) = (OnsideSampleSwift6.AccountScreen(), OnsideSampleSwift6.Store())
            return SampleApp(
                logIn: screen.logIn,
                logInWithoutResult: screen.logInWithoutResult,
                updateUI: screen.updateUI,
                logOut: screen.logOut,
                isLoginHidden: { screen.loginButton.isHidden },
                buy: { store.buy($0, report: $1) },
                restore: { store.restore(report: $0) },
                showPaymentMethods: { store.showPaymentMethods(report: $0) },
                showHistory: { store.showHistory(report: $0) },
                log: { store.log }
            )
        case .swift5:
            let (screen, store) = (OnsideSampleSwift5.AccountScreen(), OnsideSampleSwift5.Store())
            return SampleApp(
                logIn: screen.logIn,
                logInWithoutResult: screen.logInWithoutResult,
                updateUI: screen.updateUI,
                logOut: screen.logOut,
                isLoginHidden: { screen.loginButton.isHidden },
                buy: { store.buy($0, report: $1) },
                restore: { store.restore(report: $0) },
                showPaymentMethods: { store.showPaymentMethods(report: $0) },
                showHistory: { store.showHistory(report: $0) },
                log: { store.log }
            )
        case .defaultMainActor:
            let screen = OnsideSampleDefaultMainActor.AccountScreen()
            let store = OnsideSampleDefaultMainActor.Store()
            return SampleApp(
                logIn: screen.logIn,
                logInWithoutResult: screen.logInWithoutResult,
                updateUI: screen.updateUI,
                logOut: screen.logOut,
                isLoginHidden: { screen.loginButton.isHidden },
                buy: { store.buy($0, report: $1) },
                restore: { store.restore(report: $0) },
                showPaymentMethods: { store.showPaymentMethods(report: $0) },
                showHistory: { store.showHistory(report: $0) },
                log: { store.log }
            )
        }
    }
}

/// The functions of a sample app that the tests call.
@MainActor struct SampleApp {
    typealias Report = @MainActor (String) -> Void

    let logIn: () -> Void
    let logInWithoutResult: () -> Void
    let updateUI: () -> Void
    let logOut: () -> Void
    let isLoginHidden: () -> Bool
    let buy: (String, @escaping Report) -> Void
    let restore: (@escaping Report) -> Void
    let showPaymentMethods: (@escaping Report) -> Void
    let showHistory: (@escaping Report) -> Void
    let log: () -> [String]
}

@MainActor @Suite(.onBothRoutes, .exclusiveOnside) struct `Onside's documented samples` {
    @Test(arguments: Sample.allCases)
    func `The samples log in, show the state, buy, restore and log out`(_ sample: Sample) async throws {
        let app = try await OnsideApp.started()
        let calls = sample.app()
        calls.updateUI()
        #expect(!calls.isLoginHidden())
        #expect(await answer { calls.showHistory($0) } == "not logged in")

        calls.logIn()
        await eventually { calls.isLoginHidden() }
        #expect(await answer { calls.buy(TestProduct.coins, $0) } == "accepted")
        #expect(await answer { calls.buy(TestProduct.game, $0) } == "accepted")
        #expect(await answer { calls.restore($0) } == "restored")
        #expect(await answer { calls.showPaymentMethods($0) } == "shown")
        #expect(await answer { calls.showHistory($0) }.split(separator: ".").count == 3)
        #expect(
            calls.log() == [
                "coins.100 purchasing", "coins.100 purchased", "game.meteor purchasing",
                "game.meteor purchased",
                "game.meteor restored",
            ]
        )
        calls.logOut()
        calls.updateUI()
        #expect(!calls.isLoginHidden())
        await app.server.stop()
    }

    @Test(arguments: Sample.allCases)
    func `The samples report a dismissed login`(_ sample: Sample) async throws {
        let app = try await OnsideApp.started { OnsideUser($0, dismisses: true) }
        let calls = sample.app()

        #expect(await answer { calls.buy(TestProduct.coins, $0) } == "discarded")
        #expect(await answer { calls.restore($0) } == "discarded")
        #expect(await answer { calls.showPaymentMethods($0) } == "discarded")
        calls.logInWithoutResult()
        calls.logIn()
        await eventually { app.discardedLogins.count >= 5 }

        #expect(app.discardedLogins.count == 5)
        #expect(!calls.isLoginHidden())
        await app.server.stop()
    }

    @Test func `The documented signatures exist`() {
        let login: @MainActor ((@MainActor (Result<Void, OnsideLoginError>) -> Void)?) -> Void =
            Onside.requestLogin(completion:)
        var storefront = OnsideStorefront(id: "US", countryCode: "US")
        storefront.countryCode = "AT"
        _ = (login, storefront)
    }
}
