// SPDX-License-Identifier: Apache-2.0
package io.dsec.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** The module rules of docs/architecture.md. */
class ModuleRulesTest {
  private static final JavaClasses DSEC =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.dsec");

  @Test
  void modelDependsOnNothing() {
    check(
        classes()
            .that()
            .resideInAPackage("io.dsec.model..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.dsec.model..", "java..", "org.jspecify.."));
  }

  @Test
  void linkKnowsModelAlone() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.dsec.link..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "io.dsec.node..", "io.dsec.server..", "io.dsec.client..", "io.dsec.cli.."));
  }

  @Test
  void nodeAndServerNeverImportEachOther() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.dsec.node..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.dsec.server..", "io.dsec.client..", "io.dsec.cli.."));
    check(
        noClasses()
            .that()
            .resideInAPackage("io.dsec.server..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "io.dsec.node..", "io.dsec.client..", "io.dsec.cli..", "io.dsec.proto.."));
  }

  @Test
  void onlyWhatDrivesASandboxKnowsTheWire() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "io.dsec.proto..",
                "io.dsec.node.channel..",
                "io.dsec.node.launch..",
                "io.dsec.node.exec..",
                "io.dsec.node.files..",
                "io.dsec.node.sandbox..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.dsec.proto.."));
  }

  @Test
  void featurePackagesFormNoCycle() {
    check(slices().matching("io.dsec.node.(*)..").should().beFreeOfCycles());
    check(slices().matching("io.dsec.server.(*)..").should().beFreeOfCycles());
  }

  @Test
  void namesSayWhatAThingDoes() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.dsec..")
            .and()
            .resideOutsideOfPackage("io.dsec.proto..")
            .should()
            .haveNameMatching(".*(Manager|Helper|Util|Utils|Impl)")
            .orShould()
            .haveSimpleNameStartingWith("Default"));
  }

  @Test
  void logicDoesNotSleep() {
    check(
        noClasses()
            .that()
            .resideInAPackage("io.dsec..")
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Thread.class, "sleep", java.time.Duration.class));
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(DSEC);
  }
}
