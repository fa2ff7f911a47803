// swift-tools-version: 6.2
import PackageDescription

// These apps are outside this package, and each of them links a single compatibility module.
// `scripts/check-linkage` builds them and checks which libraries they link.
let package = Package(
    name: "linkage-app",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "latchkey", path: "../..")],
    targets: [
        .executableTarget(
            name: "LinkageApp",
            dependencies: [.product(name: "VipasoSDK", package: "latchkey")]
        ),
        .executableTarget(
            name: "OnsideLinkageApp",
            dependencies: [.product(name: "OnsideKit", package: "latchkey")]
        ),
    ]
)
